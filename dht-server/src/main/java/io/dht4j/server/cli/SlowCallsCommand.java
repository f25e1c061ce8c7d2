package io.dht4j.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the slow calls of a node. */
@Command(
        name = "slow-calls",
        mixinStandardHelpOptions = true,
        header = "Shows the last slow calls of a node, and where their time went.%n",
        description = {
            "%nOf several nodes, the first that answers. The last call comes first. @|bold dht server --slow-calls|@ "
                    + "sets how long a slow call takes at least.%n"
        })
final class SlowCallsCommand implements Callable<Integer> {

    private final Console console;

    @Option(names = "--json", description = "Prints the node's answer unchanged.")
    private boolean json;

    @Mixin
    private final TargetNodeOptions node;

    SlowCallsCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        DhtClient client = node.client();
        JsonNode answer = BackOff.whileOverloaded(() -> DhtClient.await(client.slowCalls()));
        if (json) {
            console.show(answer.toString());
            return 0;
        }
        if (answer.path("slow_calls").isEmpty()) {
            console.report("dht slow-calls: no call was slow");
        }
        for (JsonNode call : answer.path("slow_calls")) {
            console.show(line(call));
            for (JsonNode request : call.path("requests")) {
                console.show(requestLine(request));
            }
        }
        return 0;
    }

    private static String line(JsonNode call) {
        return Instant.ofEpochMilli(call.path("ended_ms").asLong()) + "  "
                + call.path("kind").asText() + "  " + call.path("took_ms").asText() + " ms  "
                + call.path("outcome").asText() + keys(call);
    }

    private static String keys(JsonNode call) {
        if (call.has("key_hash")) {
            List<String> replicas = new ArrayList<>();
            call.path("replicas").forEach(replica -> replicas.add(replica.asText()));
            return "  key hash " + call.path("key_hash").asText() + " on " + String.join(", ", replicas);
        }
        int keys = call.path("keys").asInt();
        return keys == 0 ? "" : "  " + keys + " keys";
    }

    private static String requestLine(JsonNode request) {
        return "    " + request.path("node").asText() + "  "
                + request.path("kind").asText() + "  "
                + request.path("took_ms").asText() + " ms  "
                + request.path("outcome").asText() + "  after "
                + request.path("after_ms").asText() + " ms";
    }
}
