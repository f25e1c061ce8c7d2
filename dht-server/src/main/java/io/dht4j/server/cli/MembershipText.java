package io.dht4j.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.MembershipStatus;
import io.dht4j.server.log.ShellWords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the API's report about the nodes of a cluster as lines for people. */
final class MembershipText {

    private static final int USUAL_VOTERS = 3;

    private static final long UNIT = 1024;
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB");

    private MembershipText() {}

    /** Returns a line for each node. */
    static List<String> nodes(JsonNode status) {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode node : status.path("nodes")) {
            List<String> row = new ArrayList<>();
            row.add(node.path("id").asText());
            row.add(node.path("state").asText());
            row.add(
                    node.path("zone").asText().isEmpty()
                            ? ""
                            : "zone " + node.path("zone").asText());
            row.add(
                    node.path("weight").asInt() == 1
                            ? ""
                            : "weight " + node.path("weight").asText());
            row.add(node.path("address").asText("not joined"));
            row.add(share(node, status));
            rows.add(row);
        }
        return aligned("nodes", rows);
    }

    /** Returns the obstacles of the moves from or to a node, if it is still a member, each as a sentence. */
    static List<String> obstacles(JsonNode status, String name) {
        List<String> lines = new ArrayList<>();
        for (JsonNode node : status.path("nodes")) {
            boolean leaves = node.path("state").asText().equals("LEAVING");
            if (leaves && node.path("id").asText().equals(name) && node.has("silent_ms")) {
                lines.add(name + " is silent: if it is lost, run ./dht nodes replace " + name);
            }
        }
        if (status.path("rebalance").path("paused").asBoolean()) {
            lines.add("moves are paused: ./dht rebalance --resume");
        }
        return lines;
    }

    private static String share(JsonNode node, JsonNode status) {
        StringBuilder text = new StringBuilder()
                .append(node.path("partitions").asText())
                .append(" of ")
                .append(status.path("partitions").asText())
                .append(" partitions");
        if (node.path("to_come").asInt() > 0) {
            text.append(", ").append(node.path("to_come").asText()).append(" to come");
        }
        if (node.path("to_give").asInt() > 0) {
            text.append(", ").append(node.path("to_give").asText()).append(" to give");
        }
        if (node.has("silent_ms")) {
            text.append("; ").append(silent(node));
        }
        return text.append(waits(node, "")).toString();
    }

    /** Describes that a node is silent, and for how long if known: a silence begins with an unanswered question. */
    private static String silent(JsonNode node) {
        Duration time = Duration.ofMillis(node.path("silent_ms").asLong());
        return time.toSeconds() == 0 ? "silent" : "silent for " + StatusCommand.duration(time);
    }

    /** Returns a line for each move, or one that there is none. */
    static List<String> moves(JsonNode status) {
        List<List<String>> rows = new ArrayList<>();
        JsonNode rebalance = status.path("rebalance");
        for (JsonNode move : status.path("moves")) {
            rows.add(List.of(
                    "batch " + MembershipStatus.epochText(move.path("batch").asLong()),
                    fromTo(move),
                    move.path("partitions").asText() + " partitions",
                    move.path("phase").asText(),
                    progress(move, rebalance) + waits(move, "; waits for nothing")));
        }
        if (rows.isEmpty()) {
            rows.add(List.of("none, at most " + rate(rebalance)
                    + (rebalance.path("paused").asBoolean() ? ", paused" : "")
                    + waits(rebalance, "")));
        } else if (rebalance.has("waits_for")) {
            rows.add(List.of("waits for " + waitsFor(rebalance)));
        }
        return aligned("moves", rows);
    }

    /** Returns the nodes of a move; the entries of a lost node come from the other replicas. */
    private static String fromTo(JsonNode move) {
        String from = move.path("from").asText();
        String to = move.path("to").asText();
        boolean isLost = move.path("phase").asText().equals("FILL") || from.equals(to);
        return (isLost ? "lost " : "") + from + "→" + to;
    }

    private static String progress(JsonNode move, JsonNode rebalance) {
        long copied = move.path("copied_bytes").asLong();
        long total = move.path("total_bytes").asLong();
        if (move.path("phase").asText().equals("BOTH")) {
            return "copied";
        }
        if (total == 0) {
            return copied == 0 ? "at most " + rate(rebalance) : bytes(copied) + ", at most " + rate(rebalance);
        }
        long seconds = Math.max(0, total - copied)
                / Math.max(1, rebalance.path("bytes_per_second").asLong());
        return bytes(copied) + " of " + bytes(total) + ", at most " + rate(rebalance) + ", about "
                + StatusCommand.duration(Duration.ofSeconds(seconds));
    }

    /** Returns one line about the nodes that agree on changes. */
    static List<String> metadata(JsonNode status) {
        JsonNode metadata = status.path("metadata");
        List<String> voters = new ArrayList<>();
        metadata.path("voters")
                .forEach(voter -> voters.add(voter.asText() + (voter.equals(metadata.path("leader")) ? "*" : "")));
        int wanted = metadata.path("wanted_voters").asInt();
        List<String> row = List.of(
                String.join(", ", voters)
                        + (wanted > USUAL_VOTERS && wanted > voters.size() ? " of " + wanted + " wanted" : ""),
                "epoch " + status.path("epoch_text").asText(),
                epochs(status) + waits(metadata, ""));
        return aligned("meta", List.of(row));
    }

    private static String epochs(JsonNode status) {
        long newest = status.path("epoch").asLong();
        List<String> behind = new ArrayList<>();
        for (JsonNode node : status.path("nodes")) {
            String id = node.path("id").asText();
            String state = node.path("state").asText();
            boolean present = !state.equals("ADMITTED") && !state.equals("DEAD");
            if (present && !node.has("epoch")) {
                behind.add(id + " (" + silent(node) + ")");
            } else if (present && node.path("epoch").asLong() < newest) {
                behind.add(id + " ("
                        + MembershipStatus.epochText(node.path("epoch").asLong()) + ")");
            }
        }
        return "all nodes at " + status.path("epoch_text").asText()
                + (behind.isEmpty() ? "" : ", but " + String.join(", ", behind));
    }

    /** Returns the lines of a plan. */
    static List<String> plan(JsonNode plan) {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode move : plan.path("moves")) {
            rows.add(List.of(
                    fromTo(move),
                    move.path("partitions").asText() + " partitions"
                            + (move.path("adds").asBoolean() ? ", as one more replica" : "")));
        }
        if (plan.path("unplaced").asInt() > 0) {
            rows.add(List.of(plan.path("unplaced").asText()
                    + " replicas have no node, since every other one is a replica already: add a node"));
        }
        if (rows.isEmpty()) {
            rows.add(List.of("nothing is to move: every node has its share"));
        }
        return aligned("plan", rows);
    }

    private static String waits(JsonNode json, String otherwise) {
        return json.has("waits_for") ? "; waits for " + waitsFor(json) : otherwise;
    }

    /** Returns a wait with commands in place of the calls that an embedded node names. */
    private static String waitsFor(JsonNode json) {
        return ShellWords.of(json.path("waits_for").asText());
    }

    private static String rate(JsonNode rebalance) {
        return bytes(rebalance.path("bytes_per_second").asLong()) + "/s";
    }

    /** Returns a number of bytes in its largest unit, with one digit behind the point unless it is whole. */
    static String bytes(long bytes) {
        double rest = bytes;
        int unit = 0;
        while (rest >= UNIT && unit < UNITS.size() - 1) {
            rest /= UNIT;
            unit++;
        }
        String format = rest == Math.rint(rest) ? "%.0f %s" : "%.1f %s";
        return String.format(Locale.ROOT, format, rest, UNITS.get(unit));
    }

    /** Returns lines with columns of equal width; columns without any text are left out. */
    private static List<String> aligned(String label, List<List<String>> rows) {
        int columns = rows.stream().mapToInt(List::size).max().orElse(0);
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            // The last text of a row needs no width.
            for (int column = 0; column < row.size() - 1; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-5s", lines.isEmpty() ? label : ""));
            for (int column = 0; column < row.size(); column++) {
                int width = Math.max(widths[column], row.get(column).length());
                if (width > 0) {
                    line.append("  ").append(String.format(Locale.ROOT, "%-" + width + "s", row.get(column)));
                }
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
