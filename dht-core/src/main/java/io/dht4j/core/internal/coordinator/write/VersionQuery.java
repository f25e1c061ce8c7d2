package io.dht4j.core.internal.coordinator.write;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Version;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.Outgoing;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.core.internal.coordinator.quorum.Failures;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Asks for the newest versions of some keys: of each, {@code ack} of its first {@code from} replicas; a replica that
 * fails is replaced by the next one. The first step of a linearizable write, see
 * {@link io.dht4j.Ordering#LINEARIZABLE}.
 */
public final class VersionQuery {

    /** So that neither a request nor its answer outgrows a frame. */
    private static final int MAX_REQUEST_BYTES = FrameCodec.FRAME_OVERHEAD / 2;

    private final ReplicaClient peers;
    private final CallContext context;
    private final AtomicInteger undecided;
    private final AtomicLong newest = new AtomicLong();
    private final Failures failures = new Failures();
    private final CompletableFuture<Version> result = new CompletableFuture<>();
    private final Environment.Timer deadline;

    /** One key. */
    private static final class Asked {

        private final Key key;
        private final List<Node> replicas;
        private final AckTracker tracker;
        private final AtomicInteger next = new AtomicInteger();

        Asked(Key key, List<Node> replicas, ReplicationPolicy policy) {
            this.key = key;
            this.replicas = replicas;
            this.tracker = new AckTracker(policy);
        }
    }

    private VersionQuery(NodeComponents parts, ReplicaClient peers, int keys, CallContext context) {
        this.peers = peers;
        this.context = context;
        this.undecided = new AtomicInteger(keys);
        this.deadline = parts.environment()
                .schedule(
                        // It may be over before there is a timer to cancel.
                        () -> result.completeExceptionally(DhtException.of(
                                ErrorCode.NOT_ENOUGH_REPLICAS,
                                "nothing written: too few replicas answered before the deadline" + failures)),
                        context.remainingNanos());
    }

    /**
     * Starts a query.
     *
     * @return completes with the newest version of all the keys; zero if none has any. When it fails, nothing was done
     * @throws io.dht4j.OverloadedException if too few replicas have room for it
     */
    public static CompletableFuture<Version> start(
            NodeComponents parts, ReplicaClient peers, List<Key> keys, ReplicationPolicy policy, CallContext context) {
        List<Asked> all = new ArrayList<>(keys.size());
        for (Key key : keys) {
            List<Node> replicas = parts.replicas(key, policy.from());
            peers.room().require(replicas, policy);
            all.add(new Asked(key, peers.byPreference(replicas), policy));
        }
        VersionQuery query = new VersionQuery(parts, peers, keys.size(), context);
        query.askNext(all, policy.ack());
        query.askOneMoreWhenLate(all, parts.environment());
        return query.result;
    }

    /** As reads do: a replica that is silent does not hold a write up until its deadline. */
    private void askOneMoreWhenLate(List<Asked> keys, Environment environment) {
        long patience = peers.patienceNanos();
        if (result.isDone() || patience >= context.remainingNanos()) {
            return;
        }
        Environment.Timer late = environment.schedule(
                () -> {
                    if (!result.isDone()) {
                        askNext(
                                keys.stream()
                                        .filter(asked -> !asked.tracker.isEnough())
                                        .toList(),
                                1);
                    }
                },
                patience);
        result.whenComplete((newestOfAll, error) -> late.cancel());
    }

    private void askNext(List<Asked> keys, int count) {
        Map<Node, List<Asked>> groups = new LinkedHashMap<>();
        for (Asked asked : keys) {
            for (int i = 0; i < count; i++) {
                int index = asked.next.getAndIncrement();
                if (index < asked.replicas.size()) {
                    groups.computeIfAbsent(asked.replicas.get(index), node -> new ArrayList<>())
                            .add(asked);
                }
            }
        }
        groups.forEach((node, group) -> {
            int begin = 0;
            int bytes = 0;
            for (int i = 0; i < group.size(); i++) {
                bytes += Outgoing.BYTES_PER_KEY + group.get(i).key.length();
                if (bytes > MAX_REQUEST_BYTES) {
                    ask(node, group.subList(begin, i + 1));
                    begin = i + 1;
                    bytes = 0;
                }
            }
            if (begin < group.size()) {
                ask(node, group.subList(begin, group.size()));
            }
        });
    }

    private void ask(Node node, List<Asked> group) {
        List<Request.Query> queries =
                group.stream().map(asked -> new Request.Query(asked.key, false)).toList();
        peers.ask(node, Outgoing.of(new Request.ReadKeys(queries, 0)), context, new ReplyHandler() {
            @Override
            public void replied(Reply reply) {
                List<Answer> answers = ((Reply.Found) reply).answers();
                for (int i = 0; i < answers.size(); i++) {
                    answered(group.get(i), new ReplicaAnswer(node, answers.get(i)));
                }
            }

            @Override
            public void failed(PeerFailure failure) {
                askNext(group.stream().filter(asked -> !missed(asked, failure)).toList(), 1);
            }

            @Override
            public boolean isWanted() {
                return !result.isDone();
            }
        });
    }

    private void answered(Asked asked, ReplicaAnswer sighting) {
        // Where it cannot be, what the replicas say of the write itself decides.
        sighting.version()
                .filter(AckTracker::canBeSuperseded)
                .ifPresent(version -> newest.accumulateAndGet(version.packed(), Math::max));
        if (asked.tracker.ack() && undecided.decrementAndGet() == 0) {
            deadline.cancel();
            result.complete(new Version(newest.get()));
        }
    }

    /** Whether too many replicas of a key have failed. */
    private boolean missed(Asked asked, PeerFailure failure) {
        failures.add(failure);
        if (!asked.tracker.fail()) {
            return false;
        }
        boolean overloaded = failure.code().action() == ErrorCode.Action.BACK_OFF;
        fail(overloaded ? failure.code() : ErrorCode.NOT_ENOUGH_REPLICAS, asked.tracker.toString() + failures);
        return true;
    }

    private void fail(ErrorCode code, String why) {
        deadline.cancel();
        result.completeExceptionally(DhtException.of(code, "nothing written: " + why));
    }
}
