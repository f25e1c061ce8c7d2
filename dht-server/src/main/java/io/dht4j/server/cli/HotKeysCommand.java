package io.dht4j.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.HotKeys;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Counts for some time which keys nodes are asked for most. */
@Command(
        name = "hot-keys",
        mixinStandardHelpOptions = true,
        header = "Counts which keys a node is asked for most.%n",
        description = {
            "%nThe node counts, as a replica, the reads and writes that reach it, whichever node the clients call. Of "
                    + "several nodes, each counts at the same time.",
            "A count is shown with its bounds, as in 310..322, if it is not known exactly.%n"
        })
final class HotKeysCommand implements Callable<Integer> {

    private final Console console;

    @Option(
            names = "--duration",
            paramLabel = "MILLIS",
            converter = WholeNumber.CountingTime.class,
            defaultValue = "10000",
            description = "For how long, 100 to 30000. A node that counts already answers at the end of that count. "
                    + "Default: ${DEFAULT-VALUE}.")
    private long durationMillis;

    @Option(
            names = "--count",
            paramLabel = "N",
            converter = WholeNumber.HotKeyCount.class,
            defaultValue = "10",
            description = "How many keys by reads, by writes and by bytes, 1 to " + HotKeys.MOST_KEYS
                    + ". Default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(names = "--json", description = "Prints the answer of each node unchanged, as one line.")
    private boolean json;

    @Mixin
    private final TargetNodeOptions node;

    HotKeysCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        Duration duration = Duration.ofMillis(durationMillis);
        List<CompletableFuture<JsonNode>> answers = new ArrayList<>();
        for (DhtClient each : node.clientsOfEach(duration)) {
            answers.add(each.hotKeys(duration, count));
        }
        boolean isComplete = true;
        for (CompletableFuture<JsonNode> answer : answers) {
            try {
                show(DhtClient.await(answer));
            } catch (ClientException e) {
                if (answers.size() == 1) {
                    throw e;
                }
                console.report("dht hot-keys: " + e.getMessage());
                isComplete = false;
            }
        }
        return isComplete ? 0 : 1;
    }

    private void show(JsonNode hot) {
        if (json) {
            console.show(hot.toString());
            return;
        }
        console.show(String.format(
                Locale.ROOT,
                "%s, counted for %.1f s",
                hot.path("node").asText(),
                hot.path("counted_ms").asLong() / 1000.0));
        for (String by : List.of("reads", "writes", "bytes")) {
            JsonNode ranking = hot.path(by);
            long total = ranking.path("total").asLong();
            console.show(String.format(Locale.ROOT, "%-6s  %d in all", by, total));
            for (JsonNode each : ranking.path("keys")) {
                long least = each.path("at_least").asLong();
                long most = each.path("at_most").asLong();
                console.show(String.format(
                        Locale.ROOT,
                        "  %5.1f %%  %s  %s",
                        total == 0 ? 0 : 100.0 * least / total,
                        least == most ? Long.toString(least) : least + ".." + most,
                        key(each)));
            }
        }
    }

    private static String key(JsonNode each) {
        return each.has("key")
                ? each.path("key").asText()
                : "base64:" + each.path("key_base64").asText();
    }
}
