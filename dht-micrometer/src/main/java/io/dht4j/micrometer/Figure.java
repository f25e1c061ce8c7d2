package io.dht4j.micrometer;

import io.dht4j.NodeGauges;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A figure of a cluster without tags of its own.
 *
 * @param name the name of its meter
 * @param unit its base unit; null for a plain number
 * @param total whether it only grows while the node runs
 * @param description one line for people
 * @param value its value in a sample; not a number if the sample lacks it
 */
record Figure(
        String name, @Nullable String unit, boolean total, String description, ToDoubleFunction<ClusterSample> value) {

    private static final String BYTES = "bytes";
    private static final String SECONDS = "seconds";
    private static final @Nullable String NUMBER = null;

    /** Returns all figures. */
    static List<Figure> all() {
        List<Figure> all = new ArrayList<>();
        addStatus(all);
        addOverload(all);
        addRepair(all);
        bounded(all, "dht.calls", NUMBER, "calls in flight", NodeGauges::calls);
        bounded(all, "dht.writes.memory", BYTES, "bytes of writes in flight", NodeGauges::writeBytes);
        bounded(all, "dht.reads.memory", BYTES, "bytes of values that reads hold", NodeGauges::readBytes);
        bounded(all, "dht.store.requests", NUMBER, "requests at the store", NodeGauges::storeRequests);
        bounded(all, "dht.store.memory", BYTES, "bytes of writes at the store", NodeGauges::storeRequestBytes);
        bounded(all, "dht.snapshots.memory", BYTES, "bytes that open snapshots keep", NodeGauges::snapshotBytes);
        addMoves(all);
        addAtomicOperations(all);
        all.addAll(StoreFigures.all());
        return List.copyOf(all);
    }

    private static void addStatus(List<Figure> all) {
        gauge(all, "dht.uptime", SECONDS, "How long the node has been running", seconds(NodeStatus::uptime));
        gauge(
                all,
                "dht.nodes",
                NUMBER,
                "Nodes of the cluster",
                of(s -> s.topology().size()));
        gauge(
                all,
                "dht.nodes.suspected",
                NUMBER,
                "Nodes that do not answer",
                of(s -> s.suspected().size()));
        gauge(
                all,
                "dht.nodes.disagreeing",
                NUMBER,
                "Nodes with other settings or at another node's address",
                of(s -> s.disagreeing().size()));
        gauge(
                all,
                "dht.partitions.without.quorum",
                NUMBER,
                "Partitions of which too few replicas answer this node for a call with the default policy",
                gauges(NodeGauges::partitionsWithoutQuorum));
        gauge(
                all,
                "dht.clock.problem",
                NUMBER,
                "1 if the clock contradicts those of others, so that the node takes no writes; 0 if not",
                of(s -> s.clockProblem().isPresent() ? 1 : 0));
        gauge(
                all,
                "dht.store.entries",
                NUMBER,
                "Keys in the store, tombstones included",
                of(s -> s.entries() < 0 ? Double.NaN : s.entries()));
        gauge(
                all,
                "dht.store.problems",
                NUMBER,
                "Things that the store cannot do",
                of(s -> s.storeProblems().size()));
        gauge(
                all,
                "dht.store.stall",
                SECONDS,
                "For how long the store has not counted its entries although it was asked",
                seconds(NodeStatus::entriesAge));
        gauge(all, "dht.hints.size", BYTES, "Kept writes that nodes missed", of(NodeStatus::hintBytes));
        total(all, "dht.hints.dropped", BYTES, "Dropped writes that nodes missed", of(NodeStatus::hintBytesDropped));
        gauge(
                all,
                "dht.refill.partitions",
                NUMBER,
                "Partitions that refuse reads until they are refilled",
                of(s -> s.refill().partitions()));
        total(
                all,
                "dht.refill.entries",
                NUMBER,
                "Entries received by a refill",
                of(s -> s.refill().entries()));
    }

    private static void addOverload(List<Figure> all) {
        total(
                all,
                "dht.calls.refused",
                NUMBER,
                "Calls refused as overloaded",
                of(s -> s.overload().callsRefused()));
        total(
                all,
                "dht.store.requests.dropped",
                NUMBER,
                "Requests dropped from the store's queue",
                of(s -> s.overload().workDropped()));
        total(
                all,
                "dht.peer.requests.refused",
                NUMBER,
                "Requests not sent since too many to the node were outstanding",
                of(s -> s.overload().peerRequestsRefused()));
        total(
                all,
                "dht.retries",
                NUMBER,
                "Requests sent a second time",
                of(s -> s.overload().retries()));
        total(
                all,
                "dht.hedges",
                NUMBER,
                "Requests sent since another was late",
                of(s -> s.overload().hedges()));
        total(
                all,
                "dht.retries.denied",
                NUMBER,
                "Retries and hedges omitted for lack of budget",
                of(s -> s.overload().retriesDenied()));
    }

    private static void addRepair(List<Figure> all) {
        gauge(all, "dht.repair.running", NUMBER, "1 while a session runs; 0 else", repair(r -> r.running() ? 1 : 0));
        gauge(all, "dht.repair.partitions", NUMBER, "Partitions of the last session", repair(RepairStatus::partitions));
        gauge(
                all,
                "dht.repair.partitions.done",
                NUMBER,
                "Partitions of the last session that were compared with all other replicas",
                repair(RepairStatus::partitionsDone));
        gauge(
                all,
                "dht.repair.incomplete",
                NUMBER,
                "1 if the last session was incomplete or none can begin; 0 if not",
                repair(r -> r.lastError().isPresent() ? 1 : 0));
        gauge(
                all,
                "dht.repair.age",
                SECONDS,
                "Time since the comparison of the partition that was compared longest ago",
                repair(Figure::age));
        total(all, "dht.repair.sessions", NUMBER, "Sessions that have ended", repair(RepairStatus::rounds));
        total(all, "dht.repair.sent", NUMBER, "Entries sent by repair", repair(RepairStatus::sent));
        total(all, "dht.repair.received", NUMBER, "Entries received by repair", repair(RepairStatus::received));
        total(all, "dht.repair.refused", NUMBER, "Entries refused in repair", repair(RepairStatus::refused));
        total(all, "dht.repair.purged", NUMBER, "Purged tombstones and expired values", repair(RepairStatus::purged));
    }

    private static void addMoves(List<Figure> all) {
        gauge(
                all,
                "dht.moves.active",
                NUMBER,
                "Moves to this node under way",
                gauges(g -> g.takeover().moves()));
        gauge(
                all,
                "dht.moves.copied",
                BYTES,
                "Received of these moves",
                gauges(g -> g.takeover().copiedBytes()));
        gauge(
                all,
                "dht.moves.size",
                BYTES,
                "Size of these moves",
                gauges(g -> g.takeover().totalBytes()));
        gauge(all, "dht.store.size", BYTES, "Size of the store", gauges(g -> size(g, NodeGauges.StoreSize::usedBytes)));
        gauge(all, "dht.store.free", BYTES, "Room of the store", gauges(g -> size(g, NodeGauges.StoreSize::freeBytes)));
    }

    private static void addAtomicOperations(List<Figure> all) {
        total(
                all,
                "dht.atomic.forwarded",
                NUMBER,
                "Operations on atomic keys sent to another node",
                gauges(g -> g.atomicOperations().forwarded()));
        total(
                all,
                "dht.atomic.proposed",
                NUMBER,
                "Operations on atomic keys in rounds of this node",
                gauges(g -> g.atomicOperations().proposed()));
        total(
                all,
                "dht.atomic.rounds",
                NUMBER,
                "Rounds for atomic keys",
                gauges(g -> g.atomicOperations().rounds()));
        total(
                all,
                "dht.atomic.rounds.short",
                NUMBER,
                "Rounds of one round trip",
                gauges(g -> g.atomicOperations().shortRounds()));
        total(
                all,
                "dht.atomic.rounds.repeated",
                NUMBER,
                "Rounds that another one had to follow",
                gauges(g -> g.atomicOperations().repeatedRounds()));
    }

    private static void bounded(
            List<Figure> all, String name, @Nullable String unit, String what, Function<NodeGauges, Bounded> of) {
        String noun = unit == null ? "active" : "used";
        gauge(
                all,
                name + "." + noun,
                unit,
                "Present " + what,
                gauges(g -> of.apply(g).used()));
        gauge(
                all,
                name + ".limit",
                unit,
                "Most " + what,
                gauges(g -> of.apply(g).limit()));
    }

    private static void gauge(
            List<Figure> all,
            String name,
            @Nullable String unit,
            String description,
            ToDoubleFunction<ClusterSample> value) {
        all.add(new Figure(name, unit, false, description, value));
    }

    private static void total(
            List<Figure> all,
            String name,
            @Nullable String unit,
            String description,
            ToDoubleFunction<ClusterSample> value) {
        all.add(new Figure(name, unit, true, description, value));
    }

    private static ToDoubleFunction<ClusterSample> of(ToDoubleFunction<NodeStatus> value) {
        return sample -> number(sample.status(), value);
    }

    private static ToDoubleFunction<ClusterSample> seconds(Function<NodeStatus, Duration> value) {
        return of(status -> value.apply(status).toNanos() / 1e9);
    }

    private static ToDoubleFunction<ClusterSample> repair(ToDoubleFunction<RepairStatus> value) {
        return sample -> number(sample.repair(), value);
    }

    private static ToDoubleFunction<ClusterSample> gauges(ToDoubleFunction<NodeGauges> value) {
        return sample -> number(sample.gauges(), value);
    }

    static <T> double number(Optional<T> from, ToDoubleFunction<T> value) {
        return from.isEmpty() ? Double.NaN : value.applyAsDouble(from.get());
    }

    private static double size(NodeGauges gauges, ToDoubleFunction<NodeGauges.StoreSize> value) {
        return number(gauges.store(), value);
    }

    private static double age(RepairStatus repair) {
        return repair.completed().values().stream()
                .min(Comparator.naturalOrder())
                .map(oldest -> (Instant.now().toEpochMilli() - oldest.toEpochMilli()) / 1e3)
                .orElse(Double.NaN);
    }
}
