package io.dht4j.transport.http.internal.common;

import static io.dht4j.transport.http.internal.common.JsonFields.names;
import static io.dht4j.transport.http.internal.common.JsonFields.nodeId;
import static io.dht4j.transport.http.internal.common.JsonFields.nodeIds;
import static io.dht4j.transport.http.internal.common.JsonFields.number;
import static io.dht4j.transport.http.internal.common.JsonFields.present;
import static io.dht4j.transport.http.internal.common.JsonFields.text;

import io.dht4j.MembershipStatus;
import io.dht4j.MembershipStatus.Member;
import io.dht4j.MembershipStatus.Metadata;
import io.dht4j.MembershipStatus.Move;
import io.dht4j.MembershipStatus.Phase;
import io.dht4j.MembershipStatus.Rebalance;
import io.dht4j.MembershipStatus.State;
import io.dht4j.NodeId;
import io.dht4j.RebalancePlan;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;

/**
 * Writes the membership of a cluster as JSON, and reads it. Reading throws some {@link RuntimeException} if the JSON
 * has another form.
 */
public final class MembershipJson {

    private MembershipJson() {}

    public static JsonObject status(MembershipStatus status) {
        JsonObject metadata = new JsonObject()
                .put("voters", names(status.metadata().voters()))
                .put("wanted_voters", status.metadata().wantedVoters());
        status.metadata().leader().ifPresent(leader -> metadata.put("leader", leader.value()));
        waits(metadata, status.metadata().waitsFor());
        return new JsonObject()
                .put("cluster", status.cluster().toString())
                .put("id", status.node().value())
                .put("epoch", status.epoch())
                .put("epoch_text", MembershipStatus.epochText(status.epoch()))
                .put("replication_factor", status.replicationFactor())
                .put("partitions", status.partitions())
                .put("nodes", array(status.members(), MembershipJson::member))
                .put("moves", array(status.moves(), MembershipJson::move))
                .put("metadata", metadata)
                .put(
                        "rebalance",
                        waits(
                                new JsonObject()
                                        .put(
                                                "bytes_per_second",
                                                status.rebalance().bytesPerSecond())
                                        .put("paused", status.rebalance().paused()),
                                status.rebalance().waitsFor()));
    }

    private static JsonObject member(Member member) {
        JsonObject json = new JsonObject()
                .put("id", member.name().value())
                .put("number", member.number())
                .put("state", member.state().name())
                .put("public_addresses", new JsonArray(member.publicAddresses()))
                .put("weight", member.weight())
                .put("zone", member.zone())
                .put("partitions", member.partitions())
                .put("to_come", member.toCome())
                .put("to_give", member.toGive());
        member.address().ifPresent(address -> json.put("address", address));
        member.epoch().ifPresent(epoch -> json.put("epoch", epoch));
        member.silence().ifPresent(silence -> json.put("silent_ms", silence.toMillis()));
        return waits(json, member.waitsFor());
    }

    private static JsonObject move(Move move) {
        return waits(
                new JsonObject()
                        .put("batch", move.batch())
                        .put("from", move.from().value())
                        .put("to", move.to().value())
                        .put("partitions", move.partitions())
                        .put("phase", move.phase().name())
                        .put("copied_bytes", move.copiedBytes())
                        .put("total_bytes", move.totalBytes()),
                move.waitsFor());
    }

    private static JsonObject waits(JsonObject json, String what) {
        return what.isEmpty() ? json : json.put("waits_for", what);
    }

    public static MembershipStatus status(JsonObject json) {
        JsonObject metadata = present(json.getJsonObject("metadata"), "metadata");
        JsonObject rebalance = present(json.getJsonObject("rebalance"), "rebalance");
        return new MembershipStatus(
                UUID.fromString(text(json, "cluster")),
                nodeId(json, "id"),
                number(json, "epoch"),
                (int) number(json, "replication_factor"),
                (int) number(json, "partitions"),
                list(json, "nodes", MembershipJson::member),
                list(json, "moves", MembershipJson::move),
                new Metadata(
                        nodeIds(present(metadata.getJsonArray("voters"), "voters")),
                        (int) number(metadata, "wanted_voters"),
                        Optional.ofNullable(metadata.getString("leader")).map(NodeId::new),
                        metadata.getString("waits_for", "")),
                new Rebalance(
                        number(rebalance, "bytes_per_second"),
                        present(rebalance.getBoolean("paused"), "paused"),
                        rebalance.getString("waits_for", "")));
    }

    private static Member member(JsonObject json) {
        List<String> addresses = new ArrayList<>();
        present(json.getJsonArray("public_addresses"), "public_addresses")
                .forEach(address -> addresses.add((String) address));
        Long epoch = json.getLong("epoch");
        return new Member(
                nodeId(json, "id"),
                (int) number(json, "number"),
                State.valueOf(text(json, "state")),
                Optional.ofNullable(json.getString("address")),
                addresses,
                (int) number(json, "weight"),
                text(json, "zone"),
                (int) number(json, "partitions"),
                (int) number(json, "to_come"),
                (int) number(json, "to_give"),
                epoch == null ? OptionalLong.empty() : OptionalLong.of(epoch),
                Optional.ofNullable(json.getLong("silent_ms")).map(Duration::ofMillis),
                json.getString("waits_for", ""));
    }

    private static Move move(JsonObject json) {
        return new Move(
                number(json, "batch"),
                nodeId(json, "from"),
                nodeId(json, "to"),
                (int) number(json, "partitions"),
                Phase.valueOf(text(json, "phase")),
                number(json, "copied_bytes"),
                number(json, "total_bytes"),
                json.getString("waits_for", ""));
    }

    public static JsonObject plan(RebalancePlan plan) {
        return new JsonObject()
                .put("epoch", plan.epoch())
                .put(
                        "moves",
                        array(
                                plan.moves(),
                                move -> new JsonObject()
                                        .put("from", move.from().value())
                                        .put("to", move.to().value())
                                        .put("partitions", move.partitions())
                                        .put("adds", move.adds())))
                .put("unplaced", plan.unplaced());
    }

    public static RebalancePlan plan(JsonObject json) {
        return new RebalancePlan(
                number(json, "epoch"),
                list(
                        json,
                        "moves",
                        move -> new RebalancePlan.Move(
                                nodeId(move, "from"),
                                nodeId(move, "to"),
                                (int) number(move, "partitions"),
                                move.getBoolean("adds", false))),
                (int) number(json, "unplaced"));
    }

    /** Writes the epoch of a change. */
    public static JsonObject epoch(long epoch) {
        return new JsonObject().put("epoch", epoch).put("epoch_text", MembershipStatus.epochText(epoch));
    }

    public static long epoch(JsonObject json) {
        return number(json, "epoch");
    }

    private static <T> JsonArray array(List<T> items, Function<T, JsonObject> write) {
        JsonArray array = new JsonArray();
        items.forEach(item -> array.add(write.apply(item)));
        return array;
    }

    private static <T> List<T> list(JsonObject json, String field, Function<JsonObject, T> read) {
        List<T> items = new ArrayList<>();
        present(json.getJsonArray(field), field).forEach(item -> items.add(read.apply((JsonObject) item)));
        return items;
    }
}
