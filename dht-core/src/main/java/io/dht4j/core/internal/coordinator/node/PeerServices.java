package io.dht4j.core.internal.coordinator.node;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.clock.PeerClocks;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.AddressCheck;
import io.dht4j.core.internal.coordinator.peer.Disagreements;
import io.dht4j.core.internal.coordinator.peer.FirstContact;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.PeerMonitor;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplicaOrder;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.detection.GuardedDetector;
import io.dht4j.core.internal.detection.ReachabilityLog;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.core.internal.membership.WrongAddresses;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.OwnHeader;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds what a node knows of the others, and the client that asks them. Does not block; safe for use by any number of
 * threads.
 */
final class PeerServices {

    private static final Logger LOG = LoggerFactory.getLogger(PeerServices.class);
    /** Between two looks around. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Duration PING_TIMEOUT = Duration.ofSeconds(2);
    /** Calls that were planned before a node left have ended by then. */
    private static final Duration LATE_CALLS = Duration.ofMinutes(2);

    final ReplicaClient client;
    final PeerClocks clocks;
    /** Until it is over no write gets a version. */
    final FirstContact firstContact;

    final Disagreements disagreements;

    private final NodeComponents components;
    private final Suspicion suspicion;
    private final ReachabilityLog reachability;
    private final Observations observations;
    private final AtomicLong lookedNanos;
    private volatile Consumer<NodeId> listener = node -> {};

    PeerServices(NodeConfig config, LocalServices local, OwnHeader own, Observations observations) {
        this.components = local.components;
        this.observations = observations;
        Environment environment = components.environment();
        ClusterView first = components.view();
        List<Node> others = others(first);
        this.lookedNanos = new AtomicLong(environment.nanoTime());
        this.disagreements = new Disagreements(
                components.self(), own::settings, () -> components.view().topology(), this::ping, environment);
        this.suspicion = new Suspicion(
                components.self(),
                environment,
                others,
                new GuardedDetector(components.detector(), environment),
                this::ping);
        this.reachability = new ReachabilityLog(environment::nanoTime);
        this.clocks = new PeerClocks(
                environment,
                ids(others),
                first.topology().size(),
                local.clock.maxSkewMillis(),
                id -> components.view().topology().node(id).ifPresent(this::ping));
        this.client = new ReplicaClient(
                components,
                config,
                local.replica,
                own,
                new ReplicaOrder(components.self(), suspicion),
                new PeerMonitor(
                        local.clock,
                        clocks,
                        suspicion,
                        reachability,
                        disagreements,
                        new WrongAddresses(components.transport(), environment::nanoTime),
                        this::heard),
                observations);
        this.firstContact =
                new FirstContact(environment, ids(others), config.times().startPatience());
    }

    /** Returns the nodes of a view but this member. */
    static List<Node> others(ClusterView view) {
        return view.topology().nodes().stream()
                .filter(node -> !node.id().equals(view.self()))
                .toList();
    }

    private static List<NodeId> ids(List<Node> nodes) {
        return nodes.stream().map(Node::id).toList();
    }

    /** Sets what receives each node that answers. */
    void listen(Consumer<NodeId> answered) {
        listener = answered;
    }

    /** Asks all others for a sign of life. */
    void begin() {
        firstContact.begin();
        others(components.view()).forEach(this::ping);
    }

    /** Asks all others for a sign of life, at most once a second, so that a node without calls notices who is gone. */
    void lookAround() {
        long before = lookedNanos.get();
        long now = components.environment().nanoTime();
        if (now - before >= LOOK_NANOS && lookedNanos.compareAndSet(before, now)) {
            others(components.view()).forEach(this::ping);
        }
    }

    /** Follows a view that is installed. */
    void follow(ClusterView before, ClusterView now) {
        List<Node> others = others(now);
        observations.retain(Set.copyOf(ids(others)));
        client.follow(before, now);
        suspicion.follow(others);
        reachability.retain(ids(others));
        clocks.follow(ids(others), now.topology().size());
        firstContact.follow(ids(others));
        disagreements.follow(before.topology(), now.topology());
        List<Node> gone = gone(others(before), others);
        gone.forEach(components.transport()::forget);
        if (!gone.isEmpty()) {
            components.environment().schedule(() -> forgetAgain(gone), LATE_CALLS.toNanos());
        }
        List<Node> nodes = now.topology().nodes();
        // This node's own address counts: a transport may accept requests for its host only.
        if (now.hasRowVersions() && !before.topology().nodes().containsAll(nodes)) {
            AddressCheck.report(nodes, components.transport());
        }
    }

    /** Closes the connections that late calls have made again. */
    private void forgetAgain(List<Node> gone) {
        gone(gone, components.view().topology().nodes()).forEach(components.transport()::forget);
    }

    /**
     * Returns the nodes that others do not name, or name at another address. Connections outlive a change of weight.
     */
    private static List<Node> gone(List<Node> nodes, List<Node> present) {
        return nodes.stream()
                .filter(node -> present.stream()
                        .noneMatch(other ->
                                other.id().equals(node.id()) && other.address().equals(node.address())))
                .toList();
    }

    /** Returns the other nodes that do not answer, as of some milliseconds ago. */
    Set<NodeId> suspects() {
        return suspicion.suspects();
    }

    /** Ends the checks of silent nodes, their log, and what waits for nodes whose settings differ. */
    void close() {
        reachability.close();
        suspicion.close();
        disagreements.close();
    }

    private void heard(NodeId node, long now) {
        suspicion.heard(node, now);
        firstContact.answered();
        listener.accept(node);
    }

    /**
     * Asks a node for a sign of life, which goes to {@link #heard}. The answer carries the node's clock, so that this
     * node's versions are new even if its own clock is behind, and shows a wrong node or other settings at once.
     */
    private void ping(Node node) {
        client.ask(
                node,
                OutboundRequest.alone(new Request.Ping()),
                client.context(PING_TIMEOUT),
                ReplyHandler.of(reply -> LOG.trace("{} is there", node.id()), this::pingFailed));
    }

    private void pingFailed(PeerFailure failure) {
        LOG.trace("{}", failure);
        firstContact.failed(failure);
    }
}
