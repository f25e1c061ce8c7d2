package io.dht4j.server.cli.console;

import io.dht4j.PrintableText;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The streams of a command. Text is UTF-8 regardless of the locale.
 *
 * @param in standard input
 * @param out standard output
 * @param err standard error
 * @param outIsTerminal whether a person reads the output
 * @param errIsTerminal whether a person reads the messages
 * @param environment the environment's variables
 */
public record Console(
        InputStream in,
        PrintStream out,
        PrintStream err,
        boolean outIsTerminal,
        boolean errIsTerminal,
        Map<String, String> environment) {

    /** Copies the variables. */
    public Console {
        environment = Map.copyOf(environment);
    }

    /**
     * Writes a message to standard error.
     *
     * @param line the message; control characters are {@linkplain PrintableText escaped}, so that it is one line
     */
    public void report(String line) {
        err.println(PrintableText.of(line));
    }

    /**
     * Writes a line to standard output.
     *
     * @param line what to show; control characters are {@linkplain PrintableText escaped}
     */
    public void show(String line) {
        out.println(PrintableText.of(line));
    }

    /** Returns a text without the variables, which may be secret. */
    @Override
    public String toString() {
        return "Console[outIsTerminal=" + outIsTerminal + ", errIsTerminal=" + errIsTerminal + "]";
    }

    /**
     * Returns the process's own streams. The launcher determines whether they are terminals, because the platform has
     * no reliable way.
     *
     * @return the console
     */
    public static Console ofProcess() {
        return new Console(
                System.in,
                new PrintStream(
                        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)),
                        true,
                        StandardCharsets.UTF_8),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                Boolean.getBoolean("dht.terminal.out"),
                Boolean.getBoolean("dht.terminal.err"),
                System.getenv());
    }
}
