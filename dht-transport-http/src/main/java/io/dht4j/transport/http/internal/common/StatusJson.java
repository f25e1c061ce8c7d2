package io.dht4j.transport.http.internal.common;

import static io.dht4j.transport.http.internal.common.JsonFields.names;
import static io.dht4j.transport.http.internal.common.JsonFields.nodeId;
import static io.dht4j.transport.http.internal.common.JsonFields.nodeIds;
import static io.dht4j.transport.http.internal.common.JsonFields.number;
import static io.dht4j.transport.http.internal.common.JsonFields.present;
import static io.dht4j.transport.http.internal.common.JsonFields.text;

import io.dht4j.ClockProblem;
import io.dht4j.KeyPlacement;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadCounts;
import io.dht4j.RefillStatus;
import io.dht4j.RepairStatus;
import io.dht4j.StoreProblem;
import io.dht4j.Topology;
import io.dht4j.spi.RemoteApi.Located;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes placement and status as JSON, and reads them. Reading throws some {@link RuntimeException} if the JSON has
 * another form.
 *
 * <p>Field by field, because the names are the API's and not those of the classes. Binding would need
 * {@code jackson-databind}, which embedding applications do not have otherwise.
 */
public final class StatusJson {

    private StatusJson() {}

    public static JsonObject placement(KeyPlacement placement) {
        JsonArray replicas = new JsonArray();
        for (Node node : placement.replicas()) {
            replicas.add(node.id().value());
        }
        return new JsonObject().put("partition", placement.partition()).put("replicas", replicas);
    }

    /** Writes the replicas of partitions with each node's name once, since there may be thousands of them. */
    public static JsonObject partitions(int first, List<KeyPlacement> placements) {
        Map<NodeId, Integer> numbers = new LinkedHashMap<>();
        JsonArray replicas = new JsonArray();
        for (KeyPlacement placement : placements) {
            JsonArray of = new JsonArray();
            for (Node node : placement.replicas()) {
                of.add(numbers.computeIfAbsent(node.id(), id -> numbers.size()));
            }
            replicas.add(of);
        }
        return new JsonObject()
                .put("first", first)
                .put("nodes", names(List.copyOf(numbers.keySet())))
                .put("replicas", replicas);
    }

    public static Located located(JsonObject json) {
        List<NodeId> replicas = new ArrayList<>();
        for (Object id : json.getJsonArray("replicas")) {
            replicas.add(new NodeId((String) id));
        }
        return new Located(json.getInteger("partition"), replicas);
    }

    public static JsonObject status(NodeStatus status) {
        JsonArray nodes = new JsonArray();
        for (Node node : status.topology().nodes()) {
            JsonObject each = new JsonObject()
                    .put("id", node.id().value())
                    .put("address", node.address())
                    .put("weight", node.weight());
            List<String> published = status.publicAddresses().get(node.id());
            nodes.add(published == null ? each : each.put("public_addresses", new JsonArray(published)));
        }
        JsonObject json = new JsonObject()
                .put("id", status.id().value())
                .put("epoch", status.topology().epoch())
                .put("nodes", nodes)
                .put("replication_factor", status.replicationFactor())
                .put("partitions", status.partitions())
                .put("placement", status.placement())
                .put("hash", status.hash())
                .put("transport", status.transport())
                .put("store", status.store())
                .put("version", status.version())
                .put("entries", status.entries())
                .put("entries_age_ms", status.entriesAge().toMillis())
                .put("hint_bytes", status.hintBytes())
                .put("hint_bytes_dropped", status.hintBytesDropped())
                .put("overload", overload(status.overload()))
                .put("store_problems", problems(status.storeProblems()))
                .put("refill", refill(status.refill()))
                .put("suspected", names(status.suspected()))
                .put("disagreeing", names(status.disagreeing()))
                .put("uptime_ms", status.uptime().toMillis());
        status.clockProblem().ifPresent(problem -> json.put("clock_problem", clock(problem)));
        return json;
    }

    public static NodeStatus status(JsonObject json) {
        List<Node> nodes = new ArrayList<>();
        Map<NodeId, List<String>> published = new HashMap<>();
        for (Object element : json.getJsonArray("nodes")) {
            JsonObject node = (JsonObject) element;
            NodeId id = nodeId(node, "id");
            nodes.add(new Node(id, text(node, "address"), (int) number(node, "weight")));
            JsonArray addresses = node.getJsonArray("public_addresses");
            if (addresses != null) {
                published.put(id, addresses.stream().map(String.class::cast).toList());
            }
        }
        return new NodeStatus(
                nodeId(json, "id"),
                new Topology(number(json, "epoch"), nodes),
                (int) number(json, "replication_factor"),
                (int) number(json, "partitions"),
                text(json, "placement"),
                text(json, "hash"),
                text(json, "transport"),
                text(json, "store"),
                text(json, "version"),
                number(json, "entries"),
                // Nodes of earlier versions report no age.
                Duration.ofMillis(json.containsKey("entries_age_ms") ? number(json, "entries_age_ms") : 0),
                number(json, "hint_bytes"),
                number(json, "hint_bytes_dropped"),
                overload(json.getJsonObject("overload")),
                problems(json.getJsonArray("store_problems")),
                refill(json.getJsonObject("refill")),
                nodeIds(json.getJsonArray("suspected")),
                nodeIds(json.getJsonArray("disagreeing")),
                Optional.ofNullable(json.getJsonObject("clock_problem")).map(StatusJson::clock),
                Duration.ofMillis(number(json, "uptime_ms")),
                published);
    }

    public static JsonObject repair(RepairStatus status) {
        JsonObject completed = new JsonObject();
        new TreeMap<>(status.completed())
                .forEach((partition, when) -> completed.put(Integer.toString(partition), when.toEpochMilli()));
        JsonObject json = new JsonObject()
                .put("id", status.node().value())
                .put("running", status.running())
                .put("partitions", status.partitions())
                .put("partitions_done", status.partitionsDone())
                .put("rounds", status.rounds())
                .put("sent", status.sent())
                .put("received", status.received())
                .put("refused", status.refused())
                .put("purged", status.purged());
        status.lastError().ifPresent(error -> json.put("last_error", error));
        return json.put("blocked", status.blocked()).put("completed_ms", completed);
    }

    public static RepairStatus repair(JsonObject json) {
        Map<Integer, Instant> completed = new HashMap<>();
        for (Map.Entry<String, Object> each : present(json.getJsonObject("completed_ms"), "completed_ms")) {
            completed.put(Integer.valueOf(each.getKey()), Instant.ofEpochMilli(((Number) each.getValue()).longValue()));
        }
        return new RepairStatus(
                nodeId(json, "id"),
                present(json.getBoolean("running"), "running"),
                (int) number(json, "partitions"),
                (int) number(json, "partitions_done"),
                number(json, "rounds"),
                number(json, "sent"),
                number(json, "received"),
                number(json, "refused"),
                number(json, "purged"),
                Optional.ofNullable(json.getString("last_error")),
                json.getBoolean("blocked", false),
                completed);
    }

    private static JsonObject overload(OverloadCounts counts) {
        return new JsonObject()
                .put("calls_refused", counts.callsRefused())
                .put("work_dropped", counts.workDropped())
                .put("peer_requests_refused", counts.peerRequestsRefused())
                .put("retries", counts.retries())
                .put("hedges", counts.hedges())
                .put("retries_denied", counts.retriesDenied());
    }

    /** Reads overload counts; nodes of earlier versions send none. */
    private static OverloadCounts overload(@Nullable JsonObject json) {
        if (json == null) {
            return OverloadCounts.none();
        }
        return new OverloadCounts(
                number(json, "calls_refused"),
                number(json, "work_dropped"),
                number(json, "peer_requests_refused"),
                number(json, "retries"),
                number(json, "hedges"),
                number(json, "retries_denied"));
    }

    private static JsonArray problems(List<StoreProblem> problems) {
        JsonArray array = new JsonArray();
        for (StoreProblem problem : problems) {
            array.add(new JsonObject()
                    .put("kind", problem.kind().name())
                    .put("since_ms", problem.since().toEpochMilli())
                    .put("message", problem.message()));
        }
        return array;
    }

    private static List<StoreProblem> problems(JsonArray array) {
        List<StoreProblem> problems = new ArrayList<>();
        for (Object element : array) {
            JsonObject problem = (JsonObject) element;
            problems.add(new StoreProblem(
                    StoreProblem.Kind.valueOf(text(problem, "kind")),
                    Instant.ofEpochMilli(number(problem, "since_ms")),
                    text(problem, "message")));
        }
        return problems;
    }

    private static JsonObject refill(RefillStatus refill) {
        return new JsonObject()
                .put("partitions", refill.partitions())
                .put("entries", refill.entries())
                .put("waits_for", names(refill.waitsFor()));
    }

    private static RefillStatus refill(JsonObject json) {
        return new RefillStatus(
                (int) number(json, "partitions"),
                number(json, "entries"),
                nodeIds(present(json.getJsonArray("waits_for"), "waits_for")));
    }

    private static JsonObject clock(ClockProblem problem) {
        return new JsonObject().put("ahead_ms", problem.ahead().toMillis()).put("of", names(problem.of()));
    }

    private static ClockProblem clock(JsonObject json) {
        return new ClockProblem(
                Duration.ofMillis(number(json, "ahead_ms")), nodeIds(present(json.getJsonArray("of"), "of")));
    }
}
