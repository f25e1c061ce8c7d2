package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Origin;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks, before a restarted member serves, whether it is still a member, and whether the seeds given to it belong to
 * its cluster. It serves after about two seconds if any member has answered, and at once if none runs: reads and writes
 * need no other node. The check waits longer for a member that neither answers nor refuses connections, since it may be
 * busy. Used once; safe for use by any number of threads.
 */
public final class RestartCheck {

    private static final Logger LOG = LoggerFactory.getLogger(RestartCheck.class);

    /** Longer than the timeout of a call. */
    private static final Duration PATIENCE = MembershipRequestSender.TIMEOUT.plusMillis(500);

    /** How long a node waits for the first answer of members that may be busy. */
    private static final Duration LONG_PATIENCE = Duration.ofSeconds(20);

    /** The time limit of a call to a member that may be busy. */
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(6);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final int MOST_MEMBERS = 3;
    /** The number of further members that are asked when none of the first ones has answered. */
    private static final int MOST_FURTHER = 32;

    private static final int MOST_SEEDS = 16;

    private final NodeId self;
    private final UUID cluster;
    private final Optional<JoinPath> path;
    private final MembershipRequestSender requests;
    private final Environment environment;
    private final BiFunction<Node, Duration, CompletableFuture<ClusterState>> pulling;
    private final Duration longest;
    private final StartWait wait;
    /** The running rounds of calls. */
    private final AtomicInteger rounds = new AtomicInteger();
    /** Whether more than the first members are asked. */
    private final AtomicBoolean isWide = new AtomicBoolean();

    private volatile boolean isLate;

    /**
     * Creates a check that has not begun.
     *
     * @param options how this node was to join or form its cluster
     * @param incarnation its stored incarnation
     * @param cluster its cluster
     * @param requests sends requests
     * @param environment timers
     * @param pulling fetches the state of a member, with a time limit, and installs it; that ends the start of a node
     *     that is not a member
     * @param wait ends when the node may serve
     */
    public RestartCheck(
            Membership options,
            UUID incarnation,
            UUID cluster,
            MembershipRequestSender requests,
            Environment environment,
            BiFunction<Node, Duration, CompletableFuture<ClusterState>> pulling,
            StartWait wait) {
        this.self = options.self().id();
        this.cluster = cluster;
        this.path = options.origin() == Origin.JOIN
                ? Optional.of(new JoinPath(options, incarnation, requests, environment))
                : Optional.empty();
        this.requests = requests;
        this.environment = environment;
        this.pulling = pulling;
        // The node does not need these answers, so the wait for them does not fail the start.
        Duration half = options.startTimeout().dividedBy(2);
        this.longest = half.compareTo(LONG_PATIENCE) < 0 ? half : LONG_PATIENCE;
        this.wait = wait;
    }

    /**
     * Begins.
     *
     * @param members other members; the first ones are asked first
     */
    public void start(List<Node> members) {
        wait.on("node " + self + " asks other members whether it is still one");
        schedule(() -> patienceEnds(members), PATIENCE);
        schedule(() -> end(members), longest);
        CompletableFuture<?> seeds = path.map(this::seeds).orElseGet(() -> CompletableFuture.completedFuture(null));
        round(members, members.stream().limit(MOST_MEMBERS).toList(), seeds);
    }

    private void schedule(Runnable task, Duration after) {
        Environment.Timer timer = environment.schedule(task, after.toNanos());
        wait.over().whenComplete((done, error) -> timer.cancel());
    }

    private void round(List<Node> members, List<Node> asked, CompletableFuture<?> besides) {
        rounds.incrementAndGet();
        CompletableFuture<Void> answers =
                all(asked.stream().map(member -> ask(member, members)).toList());
        CompletableFuture.allOf(besides, answers).whenComplete((done, error) -> roundEnds(members));
    }

    private CompletableFuture<ClusterState> ask(Node member, List<Node> members) {
        return pulling.apply(member, CALL_TIMEOUT).whenComplete((state, error) -> {
            if (isLate && requests.hears()) {
                end(members);
            }
        });
    }

    /** Handles the end of the usual time of a call. */
    private void patienceEnds(List<Node> members) {
        isLate = true;
        if (requests.hears()) {
            end(members);
            return;
        }
        wait.on("node " + self + " waits up to " + longest.toSeconds() + " s for an answer of another member at its"
                + " start: " + addresses(members));
        widen(members);
    }

    /** Asks further members, once; returns whether there are any. */
    private boolean widen(List<Node> members) {
        List<Node> further =
                members.stream().skip(MOST_MEMBERS).limit(MOST_FURTHER).toList();
        boolean widens = !further.isEmpty() && isWide.compareAndSet(false, true);
        if (widens) {
            round(members, further, CompletableFuture.completedFuture(null));
        }
        return widens;
    }

    private void roundEnds(List<Node> members) {
        boolean isLast = rounds.decrementAndGet() == 0;
        if (requests.hears()) {
            end(members);
        } else if (isLast && !wait.isOver() && !widen(members)) {
            if (requests.hearsNoFrames()) {
                schedule(() -> repeat(members), PAUSE);
            } else {
                // All refuse connections, so none runs.
                end(members);
            }
        }
    }

    private void repeat(List<Node> members) {
        round(
                members,
                members.stream().limit(MOST_MEMBERS + MOST_FURTHER).toList(),
                CompletableFuture.completedFuture(null));
    }

    private void end(List<Node> members) {
        if (requests.hearsNoFrames() && !wait.isOver()) {
            LOG.warn(
                    "node {} serves by what it has stored, since no other member answers at its start: {}. If they run,"
                            + " do they use another Transport?",
                    self,
                    addresses(members));
        }
        wait.done();
    }

    private static List<String> addresses(List<Node> members) {
        return members.stream().limit(MOST_MEMBERS).map(Node::address).toList();
    }

    /** Completes when all have, with any results. */
    private static CompletableFuture<Void> all(List<? extends CompletableFuture<?>> some) {
        return CompletableFuture.allOf(
                some.stream().map(one -> one.handle((done, error) -> error)).toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> seeds(JoinPath given) {
        return given.seeds().thenCompose(found -> {
            Map<Node, CompletableFuture<Optional<UUID>>> clusters = new LinkedHashMap<>();
            found.stream().limit(MOST_SEEDS).forEach(seed -> clusters.put(seed, requests.clusterOf(seed)));
            return all(List.copyOf(clusters.values())).thenAccept(done -> compare(clusters));
        });
    }

    /** Ends the start if the nodes that answer belong to another cluster. One address may be outdated. */
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
                + " with Membership.join and nodes of the former, or, for the latter, with an empty directory after "
                + Remedies.addition(self) + " there";
    }
}
