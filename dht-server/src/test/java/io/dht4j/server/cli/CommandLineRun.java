package io.dht4j.server.cli;

import io.dht4j.server.cli.console.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A command that was run in this process, and what came of it. */
public record CommandLineRun(int exitCode, byte[] outBytes, String err) {

    /** A run without input. */
    public static CommandLineRun of(String... args) {
        return with(Map.of(), new byte[0], args);
    }

    /** A run with something on standard input. */
    public static CommandLineRun withInput(byte[] input, String... args) {
        return with(Map.of(), input, args);
    }

    /** A run whose output a person reads. */
    public static CommandLineRun onTerminal(String... args) {
        return with(Map.of(), new byte[0], true, args);
    }

    /** A run in an environment. */
    public static CommandLineRun with(Map<String, String> environment, byte[] input, String... args) {
        return with(environment, input, false, args);
    }

    private static CommandLineRun with(
            Map<String, String> environment, byte[] input, boolean isTerminal, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                new ByteArrayInputStream(input),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                isTerminal,
                false,
                environment);
        int exitCode = Dht.commandLine(console).execute(args);
        return new CommandLineRun(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    /** What it wrote, as text. */
    public String out() {
        return new String(outBytes, StandardCharsets.UTF_8);
    }
}
