package io.dht4j.examples.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Where a command reads and writes; text is UTF-8 whatever the locale says.
 *
 * @param in standard input
 * @param out standard output
 * @param err standard error
 * @param outIsTerminal whether a person reads the output
 * @param errIsTerminal whether a person reads the messages
 */
public record Console(InputStream in, PrintStream out, PrintStream err, boolean outIsTerminal, boolean errIsTerminal) {

    /**
     * The process's own streams. Whether they are terminals the launcher finds out: the platform has no reliable way.
     *
     * @return the console
     */
    static Console ofProcess() {
        return new Console(
                System.in,
                new PrintStream(
                        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)),
                        true,
                        StandardCharsets.UTF_8),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                Boolean.getBoolean("dht.terminal.out"),
                Boolean.getBoolean("dht.terminal.err"));
    }
}
