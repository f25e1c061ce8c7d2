package io.dht4j.core.internal.coordinator.read;

import io.dht4j.CancellationPolicy;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReadFanOut;
import io.dht4j.core.internal.admission.ByteBudget;
import io.dht4j.core.internal.admission.HeldBytes;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.quorum.Answers;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.coordinator.quorum.Failures;
import io.dht4j.core.internal.coordinator.quorum.InternalErrors;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.core.internal.coordinator.read.ReadRequests.KeyQuery;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One read of one or several keys: asks as many replicas as the fan-out requires, merges their answers, and completes
 * when {@code ack} replicas have answered for every key. The next replica of the policy replaces a failed one at once.
 *
 * <p>The first replica of a key sends a value of any size; the others send small values, and the versions of large
 * ones. If the newest value has not been sent, it is fetched.
 *
 * <p>A key that a replica refuses because of a newer table is read again with that table.
 */
public final class ReadOperation {

    private final NodeComponents components;
    private final ReplicaClient client;
    private final ReadRepair repair;
    private final CallPolicy policy;
    private final CallContext context;
    /** The later views; most reads have none. */
    private volatile @Nullable Replanning replanning;

    private final ReadRequests requests;
    private final List<KeyRead> reads;
    /** The values that have arrived, until the caller has them. */
    private final HeldBytes held;

    private final AtomicInteger undecided;
    private final Failures failures = new Failures();
    private final CompletableFuture<List<Optional<Entry>>> result = new CompletableFuture<>();
    private volatile @Nullable ReadTimer timer;

    private ReadOperation(
            NodeComponents components,
            NodeConfig config,
            ReplicaClient client,
            ReadRepair repair,
            ByteBudget budget,
            CallContext context,
            List<Key> keys,
            CallPolicy policy,
            @Nullable ObservedCall observed) {
        this.components = components;
        this.client = client;
        this.repair = repair;
        this.policy = policy;
        this.context = context;
        this.requests = new ReadRequests(components.environment(), config, client, context, this, observed);
        this.held = new HeldBytes(budget, keys.size() == 1);
        this.reads = new ArrayList<>(keys.size());
        ClusterView view = components.view();
        for (Key key : keys) {
            reads.add(KeyRead.plan(key, client, policy, view));
        }
        this.undecided = new AtomicInteger(keys.size());
    }

    /**
     * Starts a read.
     *
     * @param components the components of this node
     * @param config the options of this node
     * @param client asks replicas
     * @param repair receives the replicas that are behind
     * @param budget the budget of the values that are read
     * @param keys different keys, at least one
     * @param policy the number of replicas
     * @param context the deadline
     * @param observed its observation, which learns of its requests; null without an observer
     * @return a running read
     * @throws io.dht4j.OverloadedException if too few replicas have room for it
     */
    public static ReadOperation start(
            NodeComponents components,
            NodeConfig config,
            ReplicaClient client,
            ReadRepair repair,
            ByteBudget budget,
            List<Key> keys,
            CallPolicy policy,
            CallContext context,
            @Nullable ObservedCall observed) {
        ReadOperation operation =
                new ReadOperation(components, config, client, repair, budget, context, keys, policy, observed);
        try {
            operation.requests.askNext(operation.reads, operation.atFirst(), true);
            // A read of this node's memory is over by now, and a timer would cost more than all the rest of it.
            if (!operation.isDone()) {
                operation.setTimer(operation.mayAskMore());
            }
        } catch (RuntimeException | Error e) {
            // Some replicas may have been asked: their answers must find that the read is over.
            operation.fail(InternalErrors.of(e));
            throw e;
        }
        return operation;
    }

    /** Returns how many replicas of a key are asked at first. */
    private ToIntFunction<KeyRead> atFirst() {
        return requests.config().calls().readFanOut() == ReadFanOut.ALL ? KeyRead::from : KeyRead::ack;
    }

    /** Returns whether some replicas of a key are not asked at first. */
    private boolean mayAskMore() {
        ToIntFunction<KeyRead> asked = atFirst();
        for (int i = 0; i < reads.size(); i++) {
            if (asked.applyAsInt(reads.get(i)) < reads.get(i).from()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the result.
     *
     * @return for each key, in order, its newest entry among the replicas that have answered
     */
    public CompletableFuture<List<Optional<Entry>>> result() {
        return result;
    }

    boolean isDone() {
        return result.isDone();
    }

    /** Ends the read without a result, unless the cancellation policy completes every read. */
    public void abandon() {
        if (requests.config().calls().cancellation() != CancellationPolicy.NEVER) {
            result.cancel(false);
            release();
        }
    }

    /** Handles the answers of one replica to some queries. */
    void replied(Node node, List<KeyQuery> queries, Reply.Found reply) {
        if (!held.take(reply.valueBytes())) {
            fail(held.refused());
            return;
        }
        List<Answer> answers = reply.answers();
        List<Repair> repairs = new ArrayList<>(0);
        for (int i = 0; i < answers.size(); i++) {
            answered(queries.get(i).read(), new ReplicaAnswer(node, answers.get(i)), repairs);
        }
        send(repairs);
    }

    private void send(List<Repair> repairs) {
        if (!repairs.isEmpty()) {
            repair.send(repairs);
        }
    }

    /** Handles the failure of some queries to one replica: the next replica of each key is asked. */
    void failed(List<KeyQuery> queries, @Nullable FencingToken token, PeerFailure failure) {
        if (token != null && Replanning.isStale(failure, token)) {
            replan(queries, token, failure);
        } else {
            failed(queries, failure);
        }
    }

    private void failed(List<KeyQuery> queries, PeerFailure failure) {
        List<KeyRead> again = new ArrayList<>();
        for (KeyQuery query : queries) {
            if (needsAnother(query.read(), failure)) {
                again.add(query.read());
            }
        }
        requests.askNext(again, read -> 1, false);
    }

    /** Reads keys again with a newer view, unless other answers have decided by then. */
    private void replan(List<KeyQuery> queries, FencingToken token, PeerFailure stale) {
        whenNewer(token, stale, newer -> {
            if (newer == null) {
                failed(queries, stale);
                return;
            }
            failures.add(stale);
            readAgain(
                    queries.stream()
                            .map(KeyQuery::read)
                            .filter(read -> read.tracker.abandon())
                            .toList(),
                    newer);
        });
    }

    /** Waits for a newer view. The action gets null if there is none, and is not called if the read is over by then. */
    private void whenNewer(FencingToken token, PeerFailure stale, Consumer<@Nullable ClusterView> action) {
        // The rest is for another replica.
        replanning(token)
                .after(token, stale.node(), context.remainingNanos() / 2)
                .handle((newer, error) -> {
                    try {
                        if (!isDone()) {
                            action.accept(newer);
                        }
                    } catch (RuntimeException | Error e) {
                        fail(e instanceof DhtException known ? known : InternalErrors.of(e));
                    }
                    return error == null;
                });
    }

    private void readAgain(List<KeyRead> some, ClusterView newer) {
        List<KeyRead> again = new ArrayList<>(some.size());
        for (KeyRead read : some) {
            read.decided = true;
            KeyRead later = KeyRead.plan(read.key, client, policy, newer);
            read.replaceBy(later);
            again.add(later);
        }
        if (!again.isEmpty()) {
            requests.askNext(again, atFirst(), false);
        }
    }

    private synchronized Replanning replanning(FencingToken refused) {
        Replanning known = replanning;
        if (known == null) {
            known = new Replanning(client.refresh(), refused.view());
            replanning = known;
        }
        return known;
    }

    private void answered(KeyRead read, ReplicaAnswer answer, List<Repair> repairs) {
        Answers all = read.add(answer);
        if (all.settled()) {
            read.repairAfter(answer, all).ifPresent(repairs::add);
        } else if (read.tracker.ack()) {
            read.decided = true;
            settle(read, repairs);
        }
    }

    /**
     * Settles a key after the answers of enough replicas. First fetches the newest value if it has not been sent, and
     * repairs replicas that lack it until enough hold it.
     */
    private void settle(KeyRead read, List<Repair> repairs) {
        // Looked up again: an answer counted by another thread may have come after the one that decides.
        Optional<ReplicaAnswer> missing = read.answers().missing();
        if (missing.isPresent()) {
            // Its size is known: it is not fetched before there is room for it.
            if (!held.take(missing.get().valueBytes())) {
                fail(held.refused());
                return;
            }
            new ValueFetch(this, requests, read, missing.get()).begin();
            return;
        }
        Answers all = read.settle();
        Optional<ReplicaAnswer> newest = all.newest();
        if (newest.isEmpty()) {
            finish(read, Optional.empty());
            return;
        }
        Optional<Entry> entry = newest.get().entry();
        Answers.Whereabouts whereabouts = all.whereabouts(read.replicas, newest.get());
        if (read.lacking(whereabouts.holders()) > 0) {
            repairs.add(new AwaitedRepair(this, read, entry.orElseThrow(), whereabouts.holders()).first());
            return;
        }
        if (!whereabouts.behind().isEmpty()) {
            repairs.add(Repair.behindReply(entry.orElseThrow(), whereabouts.behind(), read.token));
        }
        finish(read, entry);
    }

    /** Counts a failure. Returns whether another replica is to be asked in its place. */
    private boolean needsAnother(KeyRead read, PeerFailure failure) {
        failures.add(failure);
        if (read.tracker.fail()) {
            read.decided = true;
            boolean overloaded = failure.code().action() == ErrorCode.Action.BACK_OFF;
            fail(DhtException.of(
                    overloaded ? failure.code() : ErrorCode.NOT_ENOUGH_REPLICAS,
                    "read failed: " + read.tracker + failures));
            return false;
        }
        return !read.decided && !isDone();
    }

    /** Settles a key whose newest value, or a newer one, has been fetched. */
    void fetched(KeyRead read, ReplicaAnswer found) {
        read.add(found);
        List<Repair> repairs = new ArrayList<>(0);
        settle(read, repairs);
        send(repairs);
    }

    /** Reads a key again if a replica has refused to complete its answer for an older table. Otherwise continues. */
    void continueByNewest(KeyRead read, @Nullable PeerFailure failure, Runnable otherwise) {
        FencingToken token = read.token;
        if (token != null && failure != null && Replanning.isStale(failure, token)) {
            whenNewer(token, failure, newer -> {
                if (newer == null) {
                    otherwise.run();
                } else {
                    readAgain(List.of(read), newer);
                }
            });
        } else {
            otherwise.run();
        }
    }

    /** Sends a repair after a pause, unless the read is over by then. */
    void repairLater(Repair later, long pauseNanos) {
        components
                .environment()
                .schedule(
                        () -> {
                            if (!isDone()) {
                                repair.send(List.of(later));
                            }
                        },
                        pauseNanos);
    }

    void finish(KeyRead read, Optional<Entry> entry) {
        read.outcome = entry;
        if (undecided.decrementAndGet() == 0) {
            List<Optional<Entry>> entries = new ArrayList<>(reads.size());
            for (KeyRead each : reads) {
                entries.add(each.latest().outcome);
            }
            result.complete(entries);
            release();
        }
    }

    void fail(String message) {
        fail(DhtException.of(ErrorCode.NOT_ENOUGH_REPLICAS, message));
    }

    private void fail(DhtException why) {
        result.completeExceptionally(why);
        release();
    }

    /**
     * Releases the resources of the read, once its result is there. A timer that is set just now looks for the result.
     */
    private void release() {
        held.end();
        ReadTimer begun = timer;
        if (begun != null) {
            begun.cancel();
        }
        requests.cancelRest();
    }

    private void setTimer(boolean mayAskMore) {
        ReadTimer begun = new ReadTimer(components.environment(), client, context, this);
        timer = begun;
        begun.begin(mayAskMore);
    }

    private Stream<KeyRead> undecided() {
        return reads.stream().map(KeyRead::latest).filter(read -> !read.decided);
    }

    /** Returns the undecided keys that have replicas which have not been asked. */
    List<KeyRead> open() {
        return undecided().filter(KeyRead::hasMore).toList();
    }

    void askOneMore(List<KeyRead> keys) {
        requests.askNext(keys, read -> 1, false);
    }

    /** Ends the read: the deadline has passed. */
    void expire() {
        fail(undecided()
                .findFirst()
                .map(read -> "read failed: " + read.tracker + " before the deadline"
                        + failures.atDeadline(read.unanswered()))
                .orElse("read failed: the newest value did not come, or not to enough replicas, "
                        + "before the deadline"));
    }
}
