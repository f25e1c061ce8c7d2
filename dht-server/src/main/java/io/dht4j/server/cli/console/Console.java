package io.dht4j.server.cli.console;

import io.dht4j.PrintableText;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IExecutionStrategy;

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
        StandardOutput out,
        PrintStream err,
        boolean outIsTerminal,
        boolean errIsTerminal,
        Map<String, String> environment) {

    /** The exit code of a command whose output was closed by its reader: that of a process that SIGPIPE ends. */
    public static final int OUTPUT_CLOSED = 128 + 13;

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

    /**
     * Runs a command with these streams. Blocks. The command ends at the first failed write to standard output.
     *
     * @param commandLine the command; its streams and its handler of exceptions are replaced
     * @param args its arguments
     * @return its exit code; {@link #OUTPUT_CLOSED}, without a message, if the reader of the output has closed it; 1,
     *     after one line on standard error, if the output cannot be written for another reason
     */
    public int execute(CommandLine commandLine, String... args) {
        IExecutionExceptionHandler handler = commandLine.getExecutionExceptionHandler();
        commandLine
                .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
                // Another thread may have failed to write, and the exception may be wrapped.
                .setExecutionExceptionHandler(
                        (e, command, result) -> out.failure().isPresent()
                                ? ExitCode.SOFTWARE
                                : handler.handleExecutionException(e, command, result));
        IExecutionStrategy strategy = commandLine.getExecutionStrategy();
        commandLine.setExecutionStrategy(parsed -> {
            try {
                int code = strategy.execute(parsed);
                out.flush();
                return code;
            } catch (OutputFailedException e) { // Of a text of help, which is no command's.
                return ExitCode.SOFTWARE;
            }
        });
        int code = commandLine.execute(args);
        Optional<IOException> failure = out.failure();
        if (failure.isEmpty()) {
            return code;
        }
        if (out.isClosedPipe(failure.get())) {
            return OUTPUT_CLOSED;
        }
        String name = commandLine.getCommandSpec().qualifiedName();
        report(name + ": " + new OutputFailedException(failure.get()).getMessage());
        return code == ExitCode.OK ? ExitCode.SOFTWARE : code;
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
                StandardOutput.ofProcess(),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                Boolean.getBoolean("dht.terminal.out"),
                Boolean.getBoolean("dht.terminal.err"),
                System.getenv());
    }
}
