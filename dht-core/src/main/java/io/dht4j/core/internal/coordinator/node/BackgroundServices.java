package io.dht4j.core.internal.coordinator.node;

import io.dht4j.NodeId;
import io.dht4j.RefillStatus;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.coordinator.atomic.RegisterCalls;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.write.ParkedWrites;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.core.internal.move.SlotMoves;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.Refill;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.session.AntiEntropy;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.spi.Environment;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Holds the mechanisms that bring replicas up to date without a call of the application: handoff, refill and repair.
 * Does not block, except where stated; safe for use by any number of threads.
 */
final class BackgroundServices {

    final Handoff handoff;
    /** The large writes that replicas have no room for. */
    final ParkedWrites parked;
    /** Empty in a member without a store. */
    final Optional<AntiEntropy> antiEntropy;
    /** Empty in a member without a store. */
    final Optional<SlotMoves> moves;

    private final NodeComponents components;
    private final NodeConfig config;
    private final LocalServices local;
    private final Refill refill;
    private final HintTargets hintTargets;

    BackgroundServices(NodeConfig config, LocalServices local, PeerServices peers, RegisterCalls registers) {
        this.components = local.components;
        this.config = config;
        this.local = local;
        Environment environment = components.environment();
        BackgroundRequests requests = new BackgroundRequests(
                components.self(),
                components.views(),
                peers.client,
                local.replica,
                config.calls().timeout());
        this.refill = new Refill(
                environment,
                components.view(),
                config.refillWithout(),
                components.refill(),
                requests::fetchPage,
                local.readBarrier);
        this.hintTargets = new HintTargets(
                components.view(), local.clock::current, config.handoff().maxAge());
        // For all nodes: as a replica, this node may miss writes that it coordinates.
        this.handoff = new Handoff(
                environment,
                components.view().topology().nodes(),
                components.hints(),
                config.handoff(),
                components.view().hasRowVersions(),
                new Admission(
                        "missed writes to be kept",
                        config.limits().maxInFlight(),
                        config.limits().writeBytes()),
                new HintRequests(peers.client, requests, hintTargets),
                peers.client.order()::isSuspected);
        this.parked = new ParkedWrites(environment, handoff);
        RepairPeers replicas = new RepairPeers(
                requests::ask,
                requests::merge,
                registers::unify,
                peers.client.order()::isSuspected,
                components.views()::current);
        this.antiEntropy = components.isNode() ? Optional.of(antiEntropy(replicas)) : Optional.empty();
        this.moves = components.isNode() ? Optional.of(moves(requests, replicas)) : Optional.empty();
    }

    private SlotMoves moves(BackgroundRequests requests, RepairPeers replicas) {
        return new SlotMoves(
                components.environment(),
                components.self(),
                components.views(),
                local.incoming,
                components.store(),
                local.repaired,
                local.clock::current,
                replicas,
                requests::fetchPage,
                config.repair(),
                local::adopt);
    }

    private AntiEntropy antiEntropy(RepairPeers replicas) {
        return new AntiEntropy(
                components.environment(),
                local.repaired,
                replicas,
                config.repair(),
                config.times().startPatience(),
                local.readBarrier,
                config.refillWithout(),
                components.view());
    }

    /** Begins to follow the store, before anything is applied to it. Blocks. */
    void prepare() {
        antiEntropy.ifPresent(AntiEntropy::start);
        moves.ifPresent(SlotMoves::prepare);
    }

    /** Begins the work with other nodes, once this node serves them. */
    void begin() {
        antiEntropy.ifPresent(AntiEntropy::exchangeWatermarks);
        handoff.start();
        refill.start();
        moves.ifPresent(SlotMoves::start);
    }

    /** Handles an answer of a node to any request. Quick. */
    void answered(NodeId node) {
        handoff.answered(node);
        antiEntropy.ifPresent(repair -> repair.answered(node));
    }

    /** Follows a view that is installed. */
    void follow(ClusterView now) {
        handoff.follow(now.topology().nodes());
        // Afterwards, since it names new nodes to the handoff.
        hintTargets.follow(now);
        refill.follow(now);
        antiEntropy.ifPresent(repair -> repair.follow(now));
    }

    /** Ends refill and repair. The writes that replicas miss still become hints. */
    void close() {
        moves.ifPresent(SlotMoves::close);
        antiEntropy.ifPresent(AntiEntropy::close);
        refill.close();
    }

    /** Returns the progress of the refill of lost partitions and of the repair of rolled-back ones, as one. */
    RefillStatus refillStatus() {
        RefillStatus lost = refill.status();
        RefillStatus old = antiEntropy.map(AntiEntropy::refillStatus).orElse(RefillStatus.NONE);
        PartitionSet closed = local.readBarrier
                .of(PartitionReadBarrier.Reason.LOST)
                .union(local.readBarrier.of(PartitionReadBarrier.Reason.ROLLED_BACK))
                .union(local.readBarrier.of(PartitionReadBarrier.Reason.IMPLAUSIBLE));
        return new RefillStatus(
                closed.cardinality(),
                lost.entries() + old.entries(),
                Stream.concat(lost.waitsFor().stream(), old.waitsFor().stream())
                        .distinct()
                        .sorted(Comparator.comparing(NodeId::value))
                        .toList());
    }
}
