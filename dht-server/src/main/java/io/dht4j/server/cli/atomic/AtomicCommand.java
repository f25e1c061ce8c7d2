package io.dht4j.server.cli.atomic;

import io.dht4j.server.cli.console.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reads and changes atomic keys: has a command for each operation. */
@Command(
        name = "atomic",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "OPERATION",
        header = "Reads and changes atomic keys: conditional writes, and counters.%n",
        description = {
            "%nEach operation takes effect at one moment for all callers, and is executed once. It needs a cluster "
                    + "whose servers were started with --bootstrap or --join, and a majority of the replicas of the "
                    + "key. Keys of a map never meet those of put and get. A value has at most 65536 bytes.%n",
            "  dht atomic put --map orders 17 paid --if-absent",
            "  dht atomic get --map orders 17 --show-version",
            "  dht atomic put --map orders 17 sent --if-version 115292150460684697",
            "  dht atomic add --map visits home --delta 3",
            "  dht atomic delete --map orders 17%n"
        })
public final class AtomicCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    private AtomicCommand() {}

    /**
     * Returns the command with those of the operations.
     *
     * @param console where they read and write
     * @return ready to be part of a command line
     */
    public static CommandLine commandLine(Console console) {
        return new CommandLine(new AtomicCommand())
                .addSubcommand(new AtomicGetCommand(console))
                .addSubcommand(new AtomicPutCommand(console))
                .addSubcommand(new AtomicAddCommand(console))
                .addSubcommand(new AtomicDeleteCommand(console));
    }

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(),
                "an operation is missing; there are: "
                        + String.join(", ", spec.subcommands().keySet()));
    }
}
