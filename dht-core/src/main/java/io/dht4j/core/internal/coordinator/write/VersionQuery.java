package io.dht4j.core.internal.coordinator.write;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Version;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.coordinator.quorum.Failures;
import io.dht4j.core.internal.coordinator.quorum.ReadAttempt;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.core.internal.coordinator.quorum.RequestGroups;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Queries the newest versions of some keys, the first step of a linearizable write, see
 * {@link io.dht4j.Ordering#LINEARIZABLE}. Asks {@code ack} of the first {@code from} replicas of each key; the next one
 * replaces a replica that fails. A key that a replica refuses because of a newer table is queried again with that
 * table.
 */
public final class VersionQuery {

    /** A request and its answer fit into a frame. */
    private static final int MAX_REQUEST_BYTES = FrameCodec.FRAME_OVERHEAD / 2;

    private final ReplicaClient client;
    private final @Nullable ObservedCall observed;
    private final CallPolicy policy;
    private final Replanning replanning;
    private final CallContext context;
    private final AtomicInteger undecided;
    private final AtomicLong newest = new AtomicLong();
    private final Failures failures = new Failures();
    /** The nodes of requests without an outcome. */
    private final Set<NodeId> unanswered = ConcurrentHashMap.newKeySet();

    private final CompletableFuture<Version> result = new CompletableFuture<>();
    private final Environment.Timer deadline;

    /** The query of one key by one table. */
    private static final class KeyQuery extends ReadAttempt<KeyQuery> {

        private KeyQuery(Key key, List<Node> replicas, ReplicationPolicy policy, @Nullable FencingToken token) {
            super(key, replicas, policy, token);
        }

        static KeyQuery plan(Key key, ReplicaClient client, CallPolicy ofCall, ClusterView view) {
            ReplicationPolicy policy = ofCall.in(view, key);
            return new KeyQuery(key, replicas(key, client, policy, view), policy, view.token(key));
        }

        @Override
        protected KeyQuery self() {
            return this;
        }
    }

    private VersionQuery(
            NodeComponents components,
            ClusterView view,
            ReplicaClient client,
            int keys,
            CallPolicy policy,
            CallContext context,
            @Nullable ObservedCall observed) {
        this.client = client;
        this.observed = observed;
        this.policy = policy;
        this.replanning = new Replanning(client.refresh(), view);
        this.context = context;
        this.undecided = new AtomicInteger(keys);
        this.deadline = components
                .environment()
                .schedule(
                        // The query may end before there is a timer to cancel.
                        () -> result.completeExceptionally(DhtException.of(
                                ErrorCode.NOT_ENOUGH_REPLICAS,
                                "nothing written: too few replicas answered before the deadline"
                                        + failures.atDeadline(unanswered.stream()))),
                        context.remainingNanos());
    }

    /**
     * Starts a query.
     *
     * @param components the components of this node
     * @param client asks replicas
     * @param keys different keys, at least one
     * @param policy the number of replicas
     * @param context the deadline
     * @param observed the observation of the write, which learns of the requests; null without an observer
     * @return completes with the newest version of all keys; zero if none has any. When it fails, no entry was written
     * @throws io.dht4j.OverloadedException if too few replicas have room for it
     * @throws io.dht4j.UnavailableException if too few replicas can be read
     */
    public static CompletableFuture<Version> start(
            NodeComponents components,
            ReplicaClient client,
            List<Key> keys,
            CallPolicy policy,
            CallContext context,
            @Nullable ObservedCall observed) {
        ClusterView view = components.view();
        List<KeyQuery> all = new ArrayList<>(keys.size());
        for (Key key : keys) {
            all.add(KeyQuery.plan(key, client, policy, view));
        }
        VersionQuery operation = new VersionQuery(components, view, client, keys.size(), policy, context, observed);
        operation.askNext(all, KeyQuery::ack);
        operation.askOneMoreWhenLate(all, components.environment());
        return operation.result;
    }

    /** Asks one more replica of each key when one is late, as reads do. */
    private void askOneMoreWhenLate(List<KeyQuery> keys, Environment environment) {
        long patience = client.order().patienceNanos();
        if (result.isDone() || patience >= context.remainingNanos()) {
            return;
        }
        Environment.Timer late = environment.schedule(
                () -> {
                    if (!result.isDone()) {
                        askNext(
                                keys.stream()
                                        .map(KeyQuery::latest)
                                        .filter(query -> !query.tracker.isEnough())
                                        .toList(),
                                query -> 1);
                    }
                },
                patience);
        result.whenComplete((newestOfAll, error) -> late.cancel());
    }

    private void askNext(List<KeyQuery> keys, ToIntFunction<KeyQuery> count) {
        if (keys.size() == 1) {
            askNextByView(keys, count);
        } else {
            FencingToken.byView(keys, query -> query.token).forEach(some -> askNextByView(some, count));
        }
    }

    private void askNextByView(List<KeyQuery> keys, ToIntFunction<KeyQuery> count) {
        Map<Node, List<KeyQuery>> groups = new LinkedHashMap<>();
        for (KeyQuery query : keys) {
            for (Node replica : query.take(count.applyAsInt(query))) {
                groups.computeIfAbsent(replica, node -> new ArrayList<>()).add(query);
            }
        }
        client.order()
                .localLast(
                        groups,
                        (node, group) -> RequestGroups.split(
                                group,
                                query -> OutboundRequest.BYTES_PER_KEY + query.key.length(),
                                MAX_REQUEST_BYTES,
                                part -> ask(node, part)));
    }

    private void ask(Node node, List<KeyQuery> group) {
        List<Request.Query> queries =
                group.stream().map(query -> new Request.Query(query.key, false)).toList();
        FencingToken token = null;
        for (KeyQuery query : group) {
            token = FencingToken.highest(token, query.token);
        }
        FencingToken sent = token;
        unanswered.add(node.id());
        client.ask(node, OutboundRequest.of(new Request.ReadKeys(queries, 0), sent), context, new ReplyHandler() {
            @Override
            public void replied(NodeId by, Reply reply) {
                unanswered.remove(by);
                List<Answer> answers = ((Reply.Found) reply).answers();
                for (int i = 0; i < answers.size(); i++) {
                    answered(group.get(i), new ReplicaAnswer(node, answers.get(i)));
                }
            }

            @Override
            public void failed(PeerFailure failure) {
                unanswered.remove(failure.node());
                if (sent != null && Replanning.isStale(failure, sent)) {
                    replan(group, sent, failure);
                    return;
                }
                askNext(group.stream().filter(query -> !missed(query, failure)).toList(), query -> 1);
            }

            @Override
            public boolean isWanted() {
                return !result.isDone();
            }

            @Override
            public @Nullable ObservedCall call() {
                return observed;
            }
        });
    }

    /** Queries keys again with a newer view, unless other answers have decided by then. */
    private void replan(List<KeyQuery> group, FencingToken token, PeerFailure failure) {
        // The rest is for another replica.
        replanning.after(token, failure.node(), context.remainingNanos() / 2).whenComplete((newer, error) -> {
            try {
                if (error != null) {
                    askNext(
                            group.stream()
                                    .filter(query -> !missed(query, failure))
                                    .toList(),
                            query -> 1);
                    return;
                }
                List<KeyQuery> again = new ArrayList<>();
                for (KeyQuery query : group) {
                    if (query.tracker.abandon()) {
                        KeyQuery later = KeyQuery.plan(query.key, client, policy, newer);
                        query.replaceBy(later);
                        again.add(later);
                    }
                }
                askNext(again, KeyQuery::ack);
            } catch (RuntimeException | Error e) {
                deadline.cancel();
                result.completeExceptionally(e);
            }
        });
    }

    private void answered(KeyQuery query, ReplicaAnswer answer) {
        // Otherwise the replicas' answers to the write decide.
        answer.version()
                .filter(AckTracker::canBeSuperseded)
                .ifPresent(version -> newest.accumulateAndGet(version.packed(), Math::max));
        if (query.tracker.ack() && undecided.decrementAndGet() == 0) {
            deadline.cancel();
            result.complete(new Version(newest.get()));
        }
    }

    /** Counts a failure. Returns whether too many replicas of a key have failed. */
    private boolean missed(KeyQuery query, PeerFailure failure) {
        failures.add(failure);
        if (!query.tracker.fail()) {
            return false;
        }
        boolean overloaded = failure.code().action() == ErrorCode.Action.BACK_OFF;
        fail(overloaded ? failure.code() : ErrorCode.NOT_ENOUGH_REPLICAS, query.tracker.toString() + failures);
        return true;
    }

    private void fail(ErrorCode code, String why) {
        deadline.cancel();
        result.completeExceptionally(DhtException.of(code, "nothing written: " + why));
    }
}
