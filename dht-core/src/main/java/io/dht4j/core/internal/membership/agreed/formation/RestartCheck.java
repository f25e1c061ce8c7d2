package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.peer.PeerCalls;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a member that starts again finds out before it serves: whether it is still a member, and whether the nodes by
 * which it was to join belong to its cluster. It serves after some two seconds whoever has not answered, so that reads
 * and writes need no other node. Used once; safe for use by any number of threads.
 */
public final class RestartCheck {

    private static final Logger LOG = LoggerFactory.getLogger(RestartCheck.class);

    /** A call that times out has failed before. */
    private static final Duration PATIENCE = PeerCalls.TIMEOUT.plusMillis(500);

    private static final int MOST_MEMBERS = 3;
    private static final int MOST_SEEDS = 16;

    private final NodeId self;
    private final UUID cluster;
    private final Optional<JoinPath> path;
    private final PeerCalls calls;
    private final Environment environment;
    private final Function<Node, CompletableFuture<ClusterState>> pulling;
    private final StartWait wait;

    /**
     * Creates a check that has not begun.
     *
     * @param self this node
     * @param cluster its cluster
     * @param path by which nodes it was to join; empty if it was to form a cluster
     * @param calls sends requests
     * @param environment timers
     * @param pulling fetches the state of a member, and installs it, which ends the start of a node that is no member
     * @param wait ends when the node may serve
     */
    public RestartCheck(
            NodeId self,
            UUID cluster,
            Optional<JoinPath> path,
            PeerCalls calls,
            Environment environment,
            Function<Node, CompletableFuture<ClusterState>> pulling,
            StartWait wait) {
        this.self = self;
        this.cluster = cluster;
        this.path = path;
        this.calls = calls;
        this.environment = environment;
        this.pulling = pulling;
        this.wait = wait;
    }

    /**
     * Begins.
     *
     * @param members other members, of which the first ones are asked
     */
    public void start(List<Node> members) {
        wait.on("node " + self + " asks other members whether it is still one");
        Environment.Timer late = environment.schedule(() -> end(members), PATIENCE.toNanos());
        CompletableFuture<?> seeds = path.map(this::seeds).orElseGet(() -> CompletableFuture.completedFuture(null));
        CompletableFuture.allOf(
                        seeds,
                        all(members.stream().limit(MOST_MEMBERS).map(pulling).toList()))
                .whenComplete((done, error) -> {
                    late.cancel();
                    end(members);
                });
    }

    private void end(List<Node> members) {
        if (calls.hearsNoFrames() && !wait.isOver()) {
            LOG.warn(
                    "node {} serves by what it has stored, since no other member answers at its start: {}. If they run,"
                            + " do they use another --transport?",
                    self,
                    members.stream().limit(MOST_MEMBERS).map(Node::address).toList());
        }
        wait.done();
    }

    /** Completes when all have, whatever their results. */
    private static CompletableFuture<Void> all(List<? extends CompletableFuture<?>> some) {
        return CompletableFuture.allOf(
                some.stream().map(one -> one.handle((done, error) -> error)).toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> seeds(JoinPath given) {
        return given.seeds().thenCompose(found -> {
            Map<Node, CompletableFuture<Optional<UUID>>> clusters = new LinkedHashMap<>();
            found.stream().limit(MOST_SEEDS).forEach(seed -> clusters.put(seed, calls.clusterOf(seed)));
            return all(List.copyOf(clusters.values())).thenAccept(done -> compare(clusters));
        });
    }

    /** Ends the start if the nodes that answer belong to another cluster. One address may be an old one. */
    private void compare(Map<Node, CompletableFuture<Optional<UUID>>> clusters) {
        Map<Node, UUID> foreign = new LinkedHashMap<>();
        for (Map.Entry<Node, CompletableFuture<Optional<UUID>>> seed : clusters.entrySet()) {
            Optional<UUID> found =
                    seed.getValue().exceptionally(error -> Optional.empty()).join();
            if (found.equals(Optional.of(cluster))) {
                return;
            }
            found.ifPresent(theirs -> foreign.put(seed.getKey(), theirs));
        }
        foreign.entrySet().stream().findFirst().ifPresent(other -> wait.fail(text(other.getKey(), other.getValue())));
    }

    private String text(Node seed, UUID theirs) {
        return "the data directory of node " + self + " belongs to the cluster " + cluster + ", and " + seed.id()
                + " at " + seed.address() + ", by which it is to join, to the cluster " + theirs + ": start " + self
                + " with --join and nodes of the former, or, for the latter, with an empty directory after ./dht nodes"
                + " add " + self + " there";
    }
}
