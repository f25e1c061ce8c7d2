package io.dht4j.examples.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.examples.client.ClientException;
import io.dht4j.examples.client.DhtClient;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Lets a node compare its replicas with those of the others, and shows how far it is. */
@Command(
        name = "repair",
        mixinStandardHelpOptions = true,
        header = "Lets a node compare its replicas with the others', and bring all to the newest entries.%n",
        description = {
            "%nNodes do so by themselves every ten minutes or so. Of several nodes, the first that answers repairs.",
            "Ctrl-C ends the watching, not the repair.%n"
        })
final class RepairCommand implements Callable<Integer> {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Option(
            names = "--partition",
            paramLabel = "NUMBER",
            split = ",",
            description = "Only these partitions, with commas between. Default: all that the node is a replica of.")
    private List<Integer> partitions = new ArrayList<>();

    @Option(names = "--status", description = "Begins nothing, and shows how far the node is.")
    private boolean onlyStatus;

    @Option(names = "--json", description = "The node's answer as it is.")
    private boolean json;

    @Mixin
    private final NodeOptions node;

    RepairCommand(Console console) {
        this.console = console;
        this.node = new NodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        for (int partition : partitions) {
            if (partition < 0) {
                throw new ParameterException(spec.commandLine(), "--partition must be 0 or more, not " + partition);
            }
        }
        DhtClient client = node.client();
        if (onlyStatus) {
            show(DhtClient.await(client.repairStatus()));
            return 0;
        }
        JsonNode before = DhtClient.await(client.repairStatus());
        // A round that is under way comes to its end first.
        long rounds = before.path("rounds").asLong() + (before.path("running").asBoolean() ? 2 : 1);
        JsonNode status = DhtClient.await(client.repair(partitions));
        while (status.path("running").asBoolean() && status.path("rounds").asLong() < rounds) {
            console.err()
                    .println("dht repair: " + status.path("partitions_done").asInt() + " of "
                            + status.path("partitions").asInt() + " partitions"
                            + (status.has("last_error")
                                    ? "; last error: "
                                            + status.path("last_error").asText()
                                    : ""));
            LockSupport.parkNanos(LOOK_NANOS);
            status = DhtClient.await(client.repairStatus());
            if (status.path("rounds").asLong() < before.path("rounds").asLong()
                    || !status.path("id").equals(before.path("id"))) {
                throw new ClientException("the node was restarted, or another one answers now: begin again");
            }
        }
        show(status);
        return status.has("last_error") ? 1 : 0;
    }

    private void show(JsonNode status) {
        if (json) {
            console.out().println(status);
            return;
        }
        for (Map.Entry<String, JsonNode> field : status.properties()) {
            if (!field.getKey().equals("completed_ms")) {
                console.out()
                        .printf("%-15s  %s%n", field.getKey(), field.getValue().asText());
            }
        }
        long oldest = Long.MAX_VALUE;
        JsonNode completed = status.path("completed_ms");
        for (JsonNode when : completed) {
            oldest = Math.min(oldest, when.asLong());
        }
        console.out()
                .printf(
                        "%-15s  %s%n",
                        "completed",
                        completed.isEmpty()
                                ? "no partition yet"
                                : completed.size() + " partitions, the longest ago at " + Instant.ofEpochMilli(oldest));
    }
}
