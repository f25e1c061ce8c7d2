package io.dht4j.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows and steers how partitions move between nodes. */
@Command(
        name = "rebalance",
        mixinStandardHelpOptions = true,
        header = "Shows and steers how partitions move between nodes.%n",
        description = {
            "%nPartitions move by themselves when nodes join, leave or are replaced, so that each has its share. "
                    + "Without an option: the moves under way.%n",
            "With --replication-factor, partitions get further replicas while the cluster serves. There must be as "
                    + "many nodes. The number cannot be lowered.%n"
        })
final class RebalanceCommand implements Callable<Integer> {

    private static final int KIB = 1024;

    private final Console console;

    @ArgGroup
    private @Nullable Action action;

    @Option(names = "--json", description = "Prints the node's answer unchanged.")
    private boolean json;

    @Mixin
    private final TargetNodeOptions node;

    /** One of the actions. */
    private static final class Action {

        @SuppressWarnings("UnusedVariable") // The default without any option.
        @Option(names = "--status", description = "Shows the moves under way, and what each waits for.")
        private boolean status;

        @Option(names = "--plan", description = "Shows what is to move besides.")
        private boolean plan;

        @Option(names = "--pause", description = "Stops all moves; what was copied stays.")
        private boolean pause;

        @Option(names = "--resume", description = "Lets moves go on.")
        private boolean resume;

        @Option(names = "--cancel", description = "Pauses moves, and undoes those under way.")
        private boolean cancel;

        @Option(
                names = "--rate",
                paramLabel = "KIB",
                converter = WholeNumber.MoveRate.class,
                description = "The most that a node sends or receives for moves, 64 to 1073741824 KiB per second.")
        private Optional<Long> rate = Optional.empty();

        @Option(
                names = "--replication-factor",
                paramLabel = "N",
                converter = WholeNumber.ReplicationFactor.class,
                description = "Raises the number of replicas of each key, 1 to 16.")
        private Optional<Integer> replicas = Optional.empty();
    }

    RebalanceCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        DhtClient client = node.client();
        Action chosen = action == null ? new Action() : action;
        Map<String, String> change = new LinkedHashMap<>();
        if (chosen.pause || chosen.resume || chosen.cancel) {
            change.put("change", chosen.pause ? "pause" : chosen.resume ? "resume" : "cancel");
        }
        chosen.rate.ifPresent(kib -> change.put("rate", Long.toString(kib * KIB)));
        chosen.replicas.ifPresent(replicas -> change.put("replication_factor", Integer.toString(replicas)));
        if (chosen.replicas.isPresent() && !json && replicas(client) == chosen.replicas.get()) {
            console.show("the replication factor is " + chosen.replicas.get() + " already");
            return 0;
        }
        if (!change.isEmpty()) {
            JsonNode answer = DhtClient.await(client.changeRebalance(change));
            console.show(
                    json
                            ? answer.toString()
                            : "agreed at epoch " + answer.path("epoch_text").asText()
                                    + (chosen.replicas.isPresent() ? "; dht rebalance shows the copies" : ""));
            return 0;
        }
        JsonNode answer = chosen.plan
                ? BackOff.whileOverloaded(() -> DhtClient.await(client.plan()))
                : BackOff.whileOverloaded(() -> DhtClient.await(client.nodes()));
        if (json) {
            console.show(answer.toString());
        } else {
            (chosen.plan ? MembershipText.plan(answer) : MembershipText.moves(answer)).forEach(console::show);
        }
        return 0;
    }

    /** Returns the replication factor, 0 if the node does not report it: then the change itself reports the error. */
    private static int replicas(DhtClient client) {
        try {
            return DhtClient.await(client.nodes()).path("replication_factor").asInt();
        } catch (ClientException e) {
            return 0;
        }
    }
}
