package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.agreed.peer.PeerSilence;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.wire.MembershipReply.LastHeard;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchanges with other members the times at which silent members were last heard. A node that finds a member silent
 * asks it every 3 s, and compares with one other member, which asks the silent member, too. So every member, and each
 * new leader, soon knows when any of them last heard it. Does not block; safe for use by any number of threads.
 */
final class SilenceExchange {

    private static final Logger LOG = LoggerFactory.getLogger(SilenceExchange.class);

    /** An older failure is inconclusive about a member. */
    static final Duration FRESH = Duration.ofSeconds(10);

    private static final Duration INTERVAL = Duration.ofSeconds(3);

    /** Shorter than the calls that wait for a decision. */
    private static final Duration PATIENCE = Duration.ofMillis(1500);

    /** Longer times are as good as this one. */
    private static final Duration LONGEST = Duration.ofDays(365);

    /** The maximum number of silent members that are exchanged at a time. */
    private static final int MOST_AT_A_TIME = 8;

    private final UUID incarnation;
    private final MemberDirectory members;
    private final MembershipRequestSender requests;
    private final LongSupplier epoch;
    private final Environment environment;
    private final PeerSilence silence;
    private volatile Supplier<PartitionSet> incomplete;
    /** The members with a call in flight. */
    private final Set<NodeId> asking = ConcurrentHashMap.newKeySet();

    /** The results that are waited for. */
    private final Set<CompletableFuture<Map<Integer, Optional<LastHeard>>>> waiting = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private Environment.Timer timer = () -> {};
    private boolean closed;

    /**
     * Creates an exchange that has not begun.
     *
     * @param incarnation the incarnation of this node
     * @param members the members by the newest state
     * @param requests sends requests, and knows which members do not answer
     * @param epoch returns the epoch of the installed state
     * @param diverged returns the partitions in which this node has diverged
     * @param environment timers and random numbers
     */
    SilenceExchange(
            UUID incarnation,
            MemberDirectory members,
            MembershipRequestSender requests,
            LongSupplier epoch,
            Supplier<PartitionSet> diverged,
            Environment environment) {
        this.incarnation = incarnation;
        this.members = members;
        this.requests = requests;
        this.epoch = epoch;
        this.incomplete = diverged;
        this.environment = environment;
        this.silence = requests.silence();
    }

    /** Begins to exchange every 3 s. */
    void start() {
        synchronized (this) {
            if (!closed) {
                timer = environment.schedule(this::exchange, INTERVAL.toNanos());
            }
        }
    }

    private void exchange() {
        try {
            members.state().ifPresent(this::exchange);
        } finally {
            start();
        }
    }

    private void exchange(ClusterState state) {
        List<Member> others = state.members().all().stream()
                .filter(member -> member.lifecycle().isPresent() && !member.is(incarnation))
                .toList();
        List<Member> silent = others.stream().filter(this::isSilent).toList();
        List<Member> answering =
                others.stream().filter(member -> !isSilent(member)).toList();
        int first = silent.isEmpty() ? 0 : environment.random().nextInt(silent.size());
        for (int i = 0; i < Math.min(silent.size(), MOST_AT_A_TIME); i++) {
            Member about = silent.get((first + i) % silent.size());
            MemberDirectory.node(about).ifPresent(this::ask);
            if (!answering.isEmpty()) {
                Member other = answering.get(environment.random().nextInt(answering.size()));
                ask(state, other, about).exceptionally(error -> {
                    LOG.debug("{} does not say when {} was heard", other, about, error);
                    return Optional.empty();
                });
            }
        }
    }

    private boolean isSilent(Member member) {
        return silence.of(member.name()).isPresent();
    }

    /** Sends a member any request, unless one was sent a short time ago: its silence follows from the result. */
    private void ask(Node node) {
        boolean isKnown = silence.asked(node.id())
                .filter(ago -> ago.compareTo(INTERVAL) < 0)
                .isPresent();
        if (!isKnown && asking.add(node.id())) {
            requests.clusterOf(node).whenComplete((any, error) -> asking.remove(node.id()));
        }
    }

    /**
     * Sets the source of the partitions in which this node's replica is incomplete. Before, these are the partitions in
     * which it has diverged.
     */
    void incomplete(Supplier<PartitionSet> source) {
        incomplete = source;
    }

    /** Returns the partitions in which this node's replica is incomplete. */
    PartitionSet incomplete() {
        return incomplete.get();
    }

    /**
     * The diverged partitions are known once the recovered state is installed; until then, every partition may have
     * diverged.
     */
    private PartitionSet incompleteAt(long asked) {
        Optional<ClusterState> state = members.state();
        return state.isPresent() && Epoch.generation(asked) > Epoch.generation(epoch.getAsLong())
                ? PartitionSet.matching(state.get().partitions(), any -> true)
                : incomplete();
    }

    /** Serves the question of another member, and records its knowledge. */
    LastHeard serve(MembershipRequest.Silence question) {
        PartitionSet lacking = incompleteAt(question.epoch());
        if (question.about().equals(incarnation)) {
            return new LastHeard(0, false, lacking);
        }
        Optional<Node> about = members.node(question.about());
        if (about.isEmpty()) {
            return new LastHeard(LastHeard.UNKNOWN, false, lacking);
        }
        NodeId name = about.get().id();
        learn(name, question.heardMillis());
        ask(about.get());
        return new LastHeard(heardMillis(name), silence.fails(name, FRESH), lacking);
    }

    private void learn(NodeId name, long heardMillis) {
        if (heardMillis != LastHeard.UNKNOWN) {
            silence.heardByOthers(name, Duration.ofMillis(Math.min(heardMillis, LONGEST.toMillis())));
        }
    }

    private long heardMillis(NodeId name) {
        return silence.heard(name).map(Duration::toMillis).orElse(LastHeard.UNKNOWN);
    }

    /**
     * Asks a member when another one was heard; completes with an empty result if its release does not support that.
     */
    private CompletableFuture<Optional<LastHeard>> ask(ClusterState state, Member other, Member about) {
        return requests.ask(
                        MemberDirectory.node(other).orElseThrow(),
                        new MembershipRequest.Silence(
                                state.cluster(),
                                epoch.getAsLong(),
                                about.incarnation().orElseThrow(),
                                heardMillis(about.name())),
                        LastHeard.class)
                .handle((heard, error) -> {
                    if (error == null) {
                        learn(about.name(), heard.heardMillis());
                        return Optional.of(heard);
                    }
                    if (DhtException.unwrap(error) instanceof DhtException known
                            && known.code() == ErrorCode.MALFORMED_FRAME) {
                        return Optional.empty();
                    }
                    throw DhtException.of(
                            ErrorCode.NO_REPLY, MembershipRequestSender.message(DhtException.unwrap(error)));
                });
    }

    /**
     * Asks all other present members when a member was last heard, and records their answers.
     *
     * @param state the state of the members
     * @param about a present member, perhaps this one
     * @return completes within 1.5 s with the answers of those that have answered, by their numbers; an answer is empty
     *     if the node's release does not support the question. Never fails
     */
    @SuppressWarnings("CollectionUndefinedEquality") // A stage is only equal to itself.
    CompletableFuture<Map<Integer, Optional<LastHeard>>> ask(ClusterState state, Member about) {
        if (!about.is(incarnation)) {
            // With many silent members, its last request may be long ago.
            MemberDirectory.node(about).ifPresent(this::ask);
        }
        Map<Integer, Optional<LastHeard>> answers = new ConcurrentHashMap<>();
        CompletableFuture<?>[] all = state.members().all().stream()
                .filter(member ->
                        member.lifecycle().isPresent() && !member.is(incarnation) && member.number() != about.number())
                .map(member -> ask(state, member, about)
                        .handle((heard, error) -> error == null ? answers.put(member.number(), heard) : null))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Map<Integer, Optional<LastHeard>>> result = new CompletableFuture<>();
        Environment.Timer late = environment.schedule(() -> result.complete(Map.copyOf(answers)), PATIENCE.toNanos());
        waiting.add(result);
        result.whenComplete((done, error) -> {
            late.cancel();
            waiting.remove(result);
        });
        CompletableFuture.allOf(all).whenComplete((done, error) -> result.complete(Map.copyOf(answers)));
        if (isClosed()) {
            result.complete(Map.of());
        }
        return result;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Ends the exchange. Waiting callers get no answers. */
    void close() {
        synchronized (this) {
            closed = true;
            timer.cancel();
        }
        waiting.forEach(result -> result.complete(Map.of()));
    }
}
