package io.dht4j.server.cli;

import io.dht4j.server.Lifetime;
import io.dht4j.server.ServerStartException;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.TransportName;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.config.TransportChoice.Protocol;
import io.dht4j.server.demo.DemoRun;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what a cluster does. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        header = "Runs a cluster in one process: a tour of a minute, then a cluster to try.%n",
        description = {
            "%nLoads every named character of Unicode into three nodes, reads, scans, stops a node and restarts it, "
                    + "lets a fourth one join and another one leave, then serves until Ctrl-C. The data is in a "
                    + "temporary directory that is deleted at the end.%n"
        })
final class DemoCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Option(names = "--exit", description = "Ends after the tour instead of serving.")
    private boolean exit;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            converter = WholeNumber.FirstPort.class,
            description = "The first node's port; the others take the three after it. Default: any free ports.")
    private int port;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            converter = TransportName.class,
            description = "Protocol between the nodes: http, grpc or tcp. Default: http.")
    private Protocol transport = Protocol.HTTP;

    DemoCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, ServerStartException, InterruptedException {
        boolean isPortGiven = spec.commandLine().getParseResult().hasMatchedOption("--port");
        OptionalInt firstPort = isPortGiven ? OptionalInt.of(port) : OptionalInt.empty();
        try (Lifetime lifetime = Lifetime.begin(Duration.ofSeconds(9))) {
            new DemoRun(console.out(), console.outIsTerminal(), firstPort, transport, lifetime).run(exit);
        }
        return 0;
    }
}
