package io.dht4j.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.MembershipStatus;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.Messages;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.log.ShellWords;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the status of a node. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        header = "Shows the state of a node.%n",
        description = {
            "%nOf several nodes, the first that answers. The status shows another node as up unless recent calls to "
                    + "it failed; an idle node notices no absence.%n"
        })
final class StatusCommand implements Callable<Integer> {

    private final Console console;

    @Option(names = "--json", description = "Prints the node's answer unchanged.")
    private boolean json;

    @Mixin
    private final TargetNodeOptions node;

    StatusCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        DhtClient client = node.client();
        JsonNode status = BackOff.whileOverloaded(() -> DhtClient.await(client.status()));
        if (json) {
            console.show(status.toString());
            return 0;
        }
        int width = 0;
        for (Map.Entry<String, JsonNode> field : status.properties()) {
            width = Math.max(width, label(field.getKey()).length());
        }
        for (Map.Entry<String, JsonNode> field : status.properties()) {
            List<String> lines = lines(field.getKey(), field.getValue(), status);
            String label = label(field.getKey());
            for (String line : lines) {
                console.show(String.format(Locale.ROOT, "%-" + width + "s  %s", label, line));
                label = "";
            }
        }
        return 0;
    }

    /** Returns the field's name, without a unit that the line does not have. */
    private static String label(String name) {
        return name.equals("uptime_ms") ? "uptime" : name;
    }

    /** Returns the lines of a field; fields of later versions are shown unchanged. */
    private static List<String> lines(String name, JsonNode value, JsonNode status) {
        return switch (name) {
            case "nodes" -> each(value, node -> node(node, status));
            case "overload" -> List.of(overload(value));
            case "store_problems" -> value.isEmpty() ? List.of("none") : each(value, StatusCommand::problem);
            case "clock_problem" -> List.of(clock(value));
            case "refill" -> List.of(refill(value));
            case "entries" -> List.of(entries(value) + counted(status));
            case "entries_age_ms" -> List.of(); // Shown with the entries.
            case "hint_bytes_dropped" -> List.of(dropped(value));
            case "epoch" -> List.of(epoch(value.asLong()));
            case "uptime_ms" -> List.of(duration(Duration.ofMillis(value.asLong())));
            case "suspected", "disagreeing" -> List.of(); // Shown with the nodes.
            default -> List.of(value.isValueNode() ? value.asText() : value.toString());
        };
    }

    private static List<String> each(JsonNode values, Function<JsonNode, String> line) {
        List<String> lines = new ArrayList<>();
        values.forEach(value -> lines.add(line.apply(value)));
        return lines;
    }

    private static String node(JsonNode node, JsonNode status) {
        JsonNode id = node.path("id");
        String state = "up";
        if (id.equals(status.path("id"))) {
            state = "this node";
        } else if (names(status.path("disagreeing")).contains(id.asText())) {
            state = "disagrees on the settings or the nodes' addresses: the log of the asked node says what differs";
        } else if (names(status.path("suspected")).contains(id.asText())) {
            state = "does not answer: check that it runs, and that this node can reach it";
        }
        return id.asText() + "  " + node.path("address").asText() + "  weight "
                + node.path("weight").asText() + "  " + state;
    }

    private static String entries(JsonNode count) {
        return count.asLong() < 0
                ? "not known: the store cannot tell"
                : count.asText() + ", with what is deleted or expired and not yet purged";
    }

    private static String counted(JsonNode status) {
        long age = status.path("entries_age_ms").asLong();
        return age == 0 ? "" : "; the store is busy, a newer number is due for " + duration(Duration.ofMillis(age));
    }

    /** Returns the epoch of an agreed cluster as {@code nodes} shows it; a fixed topology has a small number. */
    private static String epoch(long epoch) {
        String text = MembershipStatus.epochText(epoch);
        return text.startsWith("0.") ? Long.toString(epoch) : text;
    }

    private static String dropped(JsonNode bytes) {
        return bytes.asLong() == 0
                ? "0"
                : bytes.asText() + ": repair brings it to the nodes that missed it; ./dht repair does so at once";
    }

    /** Returns the two largest units of a time, as in {@code 3 d 4 h}. */
    static String duration(Duration time) {
        long seconds = time.toSeconds();
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3_600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        return seconds < 86_400
                ? seconds / 3_600 + " h " + seconds / 60 % 60 + " min"
                : seconds / 86_400 + " d " + seconds / 3_600 % 24 + " h";
    }

    private static String overload(JsonNode counts) {
        List<String> parts = new ArrayList<>();
        for (Map.Entry<String, JsonNode> count : counts.properties()) {
            if (count.getValue().asLong() != 0) {
                parts.add(count.getKey().replace('_', ' ') + ": "
                        + count.getValue().asText());
            }
        }
        return parts.isEmpty() ? "none" : String.join(", ", parts);
    }

    /** Returns a line with the node's behaviour during a problem; the message itself says how it ends. */
    private static String problem(JsonNode problem) {
        String kind = problem.path("kind").asText();
        String meanwhile = switch (kind) {
            case "DAMAGED_DATA" -> " Reads that meet it fail here, and other replicas answer them.";
            default -> "";
        };
        return kind + " since " + Instant.ofEpochMilli(problem.path("since_ms").asLong()) + ": "
                + ShellWords.of(problem.path("message").asText()) + "." + meanwhile;
    }

    private static String clock(JsonNode problem) {
        long ahead = problem.path("ahead_ms").asLong();
        return "this node's clock is " + duration(Duration.ofMillis(Math.abs(ahead)))
                + (ahead < 0 ? " behind " : " ahead of ") + String.join(", ", names(problem.path("of")))
                + ": set it right. Until then the node takes no writes; it goes on by itself.";
    }

    private static String refill(JsonNode refill) {
        List<String> parts = new ArrayList<>();
        int partitions = refill.path("partitions").asInt();
        parts.add(
                partitions == 0
                        ? "none"
                        : Messages.count(partitions, "partition", "partitions") + " to go, not read before that");
        if (refill.path("entries").asLong() != 0) {
            parts.add(Messages.entries(refill.path("entries").asLong())
                    + " received, counted once per replica that sent it");
        }
        if (!refill.path("waits_for").isEmpty()) {
            parts.add("waits for " + String.join(", ", names(refill.path("waits_for")))
                    + ": start them, or, if what they held is lost for good, restart this node with --refill-without");
        }
        return String.join("; ", parts);
    }

    private static List<String> names(JsonNode array) {
        return each(array, JsonNode::asText);
    }
}
