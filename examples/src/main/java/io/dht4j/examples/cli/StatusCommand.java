package io.dht4j.examples.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.examples.client.ClientException;
import io.dht4j.examples.client.DhtClient;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what a node says of itself. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        header = "Shows what a node says of itself.%n",
        description = "%nOf several nodes, the first that answers.%n")
final class StatusCommand implements Callable<Integer> {

    private final Console console;

    @Option(names = "--json", description = "The node's answer as it is.")
    private boolean json;

    @Mixin
    private final NodeOptions node;

    StatusCommand(Console console) {
        this.console = console;
        this.node = new NodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        JsonNode status = DhtClient.await(node.client().status());
        if (json) {
            console.out().println(status);
            return 0;
        }
        int width = 0;
        for (Map.Entry<String, JsonNode> field : status.properties()) {
            width = Math.max(width, field.getKey().length());
        }
        for (Map.Entry<String, JsonNode> field : status.properties()) {
            print(field.getKey(), field.getValue(), width);
        }
        return 0;
    }

    private void print(String name, JsonNode value, int width) {
        if (!value.isArray()) {
            console.out().printf("%-" + width + "s  %s%n", name, value.isValueNode() ? value.asText() : value);
            return;
        }
        String label = name;
        for (JsonNode element : value) {
            StringBuilder line = new StringBuilder();
            element.forEach(part -> line.append(part.asText()).append("  "));
            String text =
                    element.isValueNode() ? element.asText() : line.toString().strip();
            console.out().printf("%-" + width + "s  %s%n", label, text);
            label = "";
        }
    }
}
