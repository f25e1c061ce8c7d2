package io.dht4j.benchmarks.load;

import io.dht4j.server.cli.console.Console;
import picocli.CommandLine;

/** A program of its own that measures something and prints the results. */
public final class LoadProgram {

    private LoadProgram() {}

    /**
     * Runs a command and ends the process with its exit code. The command ends at the first failed write to
     * {@link System#out}.
     *
     * @param command the command
     * @param args its arguments
     */
    public static void main(CommandLine command, String... args) {
        Console console = Console.ofProcess();
        System.setOut(console.out());
        System.exit(console.execute(command, args));
    }
}
