package io.dht4j.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.Messages;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.log.ShellWords;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a repair session on a node, and shows its progress. */
@Command(
        name = "repair",
        mixinStandardHelpOptions = true,
        header = "Compares a node's replicas with the others' and reconciles them.%n",
        description = {
            "%nNodes do so by themselves every ten minutes or so. Of several nodes, the first that answers repairs.",
            "Ctrl-C ends the watching, not the repair. If a node cannot begin, the command ends after some seconds, "
                    + "and the node repairs as soon as it can.%n"
        })
final class RepairCommand implements Callable<Integer> {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /**
     * The time to wait for a session. The reason that keeps a node from beginning may pass: it tries again after one
     * second, and after two more.
     */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Console console;

    @Option(
            names = "--partition",
            paramLabel = "NUMBER",
            split = ",",
            converter = WholeNumber.Partition.class,
            description = "Only these partitions, separated by commas, each with the time of its last comparison. "
                    + "Default: all that the node is a replica of.")
    private List<Integer> partitions = new ArrayList<>();

    @Option(names = "--status", description = "Starts nothing, and shows the progress.")
    private boolean onlyStatus;

    @Option(names = "--json", description = "Prints the node's answer unchanged.")
    private boolean json;

    @Mixin
    private final TargetNodeOptions node;

    RepairCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        DhtClient client = node.client();
        if (onlyStatus) {
            show(BackOff.whileOverloaded(() -> DhtClient.await(client.repairStatus())));
            return 0;
        }
        JsonNode before = BackOff.whileOverloaded(() -> DhtClient.await(client.repairStatus()));
        // A session in progress ends first.
        long rounds = before.path("rounds").asLong() + (before.path("running").asBoolean() ? 2 : 1);
        JsonNode status = BackOff.whileOverloaded(() -> DhtClient.await(client.repair(partitions)));
        String reported = "";
        long begunNanos = System.nanoTime();
        while (status.path("running").asBoolean() && status.path("rounds").asLong() < rounds) {
            long now = System.nanoTime();
            if (!status.path("blocked").asBoolean()) {
                begunNanos = now;
            } else if (now - begunNanos > PATIENCE_NANOS) {
                throw new ClientException(
                        status.path("id").asText() + " cannot begin, and will as soon as it can: " + lastError(status));
            }
            String progress = progress(status);
            if (!progress.equals(reported)) {
                console.report("dht repair: " + progress);
                reported = progress;
            }
            LockSupport.parkNanos(LOOK_NANOS);
            status = BackOff.whileOverloaded(() -> DhtClient.await(client.repairStatus()));
            if (status.path("rounds").asLong() < before.path("rounds").asLong()
                    || !status.path("id").equals(before.path("id"))) {
                throw new ClientException("the node was restarted, or another one answers now: begin again");
            }
        }
        show(status);
        if (status.has("last_error")) {
            console.report("dht repair: not all was compared: " + lastError(status));
            return 1;
        }
        return 0;
    }

    private static String progress(JsonNode status) {
        String id = status.path("id").asText();
        if (status.path("blocked").asBoolean()) {
            return id + " has not begun";
        }
        int partitions = status.path("partitions").asInt();
        if (partitions == 0) {
            return id + " has not begun: after a start it builds its hash trees first";
        }
        return status.path("partitions_done").asInt() + " of " + partitions + " partitions compared"
                + (status.has("last_error") ? "; the round before: " + lastError(status) : "");
    }

    private void show(JsonNode status) {
        if (json) {
            console.show(status.toString());
            return;
        }
        for (Map.Entry<String, JsonNode> field : status.properties()) {
            if (!field.getKey().equals("completed_ms")) {
                line(field.getKey(), field.getValue().asText());
            }
        }
        long earliest = Long.MAX_VALUE;
        JsonNode compared = status.path("completed_ms");
        for (JsonNode when : compared) {
            earliest = Math.min(earliest, when.asLong());
        }
        line(
                "compared",
                compared.isEmpty()
                        ? "no partition with all its other replicas since this node was started"
                        : Messages.count(compared.size(), "partition", "partitions")
                                + " with all other replicas since this node was started, the longest ago at "
                                + Instant.ofEpochMilli(earliest));
        for (int partition : partitions) {
            JsonNode when = compared.path(Integer.toString(partition));
            line(
                    "partition " + partition,
                    when.isMissingNode()
                            ? "not compared here with all its other replicas since this node was started"
                            : "compared with all its other replicas at " + Instant.ofEpochMilli(when.asLong()));
        }
    }

    private void line(String label, String text) {
        console.show(String.format(Locale.ROOT, "%-15s  %s", label, text));
    }

    /** Returns the last error; an embedded node names calls, and this is a shell. */
    private static String lastError(JsonNode status) {
        return ShellWords.of(status.path("last_error").asText());
    }
}
