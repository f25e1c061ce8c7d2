package io.dht4j.server.cli;

import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.StandardOutput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
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
        int exitCode = execute(environment, input, out, err, isTerminal, args);
        return new CommandLineRun(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    /** A run whose output goes elsewhere. */
    public static CommandLineRun writingTo(OutputStream out, String... args) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = execute(Map.of(), new byte[0], out, err, false, args);
        return new CommandLineRun(exitCode, new byte[0], err.toString(StandardCharsets.UTF_8));
    }

    private static int execute(
            Map<String, String> environment,
            byte[] input,
            OutputStream out,
            OutputStream err,
            boolean isTerminal,
            String... args) {
        Console console = new Console(
                new ByteArrayInputStream(input),
                new StandardOutput(out),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                isTerminal,
                false,
                environment);
        return console.execute(Dht.commandLine(console), args);
    }

    /** What it wrote, as text. */
    public String out() {
        return new String(outBytes, StandardCharsets.UTF_8);
    }
}
