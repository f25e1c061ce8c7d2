package io.dht4j.core.internal.coordinator.read;

import io.dht4j.CancellationPolicy;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReadFanOut;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.admission.ByteBudget;
import io.dht4j.core.internal.admission.HeldBytes;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.Outgoing;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.Answers;
import io.dht4j.core.internal.coordinator.quorum.Failures;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.FrameCodec;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One read of one or several keys: asks as many replicas as the fan-out says, merges their answers, and completes when
 * for every key {@code ack} replicas have answered. A replica that fails is replaced by the next one of the policy at
 * once.
 *
 * <p>The first replica that a key is asked of sends the value whatever its size; the others send small ones only, and
 * of large ones the version. If the newest value turns out to be one that was not sent, it is fetched.
 */
public final class ReadOperation {

    /** So that neither a request nor its answer, values aside, outgrows a frame whatever the largest value is. */
    private static final int MAX_REQUEST_BYTES = FrameCodec.FRAME_OVERHEAD / 2;

    private final NodeComponents parts;
    private final NodeConfig limits;
    private final ReplicaClient peers;
    private final ReadRepair repair;
    private final CallContext context;
    private final List<KeyRead> reads;
    /** The values that have come, until the caller has them. */
    private final HeldBytes held;

    private final AtomicInteger undecided;
    /** How many requests are under way, counted where they are to be cancelled. */
    private final AtomicInteger awaited = new AtomicInteger();

    private final Failures failures = new Failures();
    private final CompletableFuture<List<Optional<Entry>>> result = new CompletableFuture<>();
    private volatile @Nullable ReadTimer timer;

    private ReadOperation(
            NodeComponents parts,
            NodeConfig limits,
            ReplicaClient peers,
            ReadRepair repair,
            ByteBudget budget,
            CallContext context,
            List<Key> keys,
            ReplicationPolicy policy) {
        this.parts = parts;
        this.limits = limits;
        this.peers = peers;
        this.repair = repair;
        this.context = context;
        this.held = new HeldBytes(budget, keys.size() == 1);
        this.reads = new ArrayList<>(keys.size());
        for (Key key : keys) {
            List<Node> replicas = parts.replicas(key, policy.from());
            peers.room().require(replicas, policy);
            reads.add(new KeyRead(key, peers.byPreference(replicas), policy));
        }
        this.undecided = new AtomicInteger(keys.size());
    }

    /**
     * Starts a read.
     *
     * @param budget for the values that are read
     * @throws io.dht4j.OverloadedException if too few replicas have room for it
     */
    public static ReadOperation start(
            NodeComponents parts,
            NodeConfig limits,
            ReplicaClient peers,
            ReadRepair repair,
            ByteBudget budget,
            List<Key> keys,
            ReplicationPolicy policy,
            CallContext context) {
        ReadOperation operation = new ReadOperation(parts, limits, peers, repair, budget, context, keys, policy);
        int asked = limits.readFanOut() == ReadFanOut.ALL ? policy.from() : policy.ack();
        try {
            operation.askNext(operation.reads, asked, true);
            // A read of this node's own memory is over by now, and a timer would cost more than all the rest of it.
            if (!operation.result.isDone()) {
                operation.setTimer(asked < policy.from());
            }
        } catch (RuntimeException | Error e) {
            // Some replicas may have been asked: what they answer must find that it is over.
            operation.fail(DhtException.of(ErrorCode.INTERNAL, "internal error: " + e));
            throw e;
        }
        return operation;
    }

    /** For each key, in order, its newest entry among the replicas that answered. */
    public CompletableFuture<List<Optional<Entry>>> result() {
        return result;
    }

    /** Ends the read without a result, unless what has begun is always brought to its end. */
    public void abandon() {
        if (limits.cancellation() != CancellationPolicy.NEVER) {
            result.cancel(false);
            held.end();
            cancelTimer();
            cancelRest();
        }
    }

    /** Tells the replicas that have not answered that they need not; to be called when the result is there. */
    private void cancelRest() {
        if (limits.cancellation() == CancellationPolicy.PROPAGATE && awaited.get() > 0) {
            context.cancel();
        }
    }

    /** Takes the outcome of a request as long as it matters. */
    private abstract class Handler implements ReplyHandler {

        private final boolean first;

        Handler(boolean first) {
            this.first = first;
        }

        @Override
        public boolean isFirst() {
            return first;
        }

        @Override
        public boolean isWanted() {
            return limits.cancellation() == CancellationPolicy.NEVER || !result.isDone();
        }
    }

    private void send(Node node, Outgoing outgoing, Handler handler) {
        if (limits.cancellation() != CancellationPolicy.PROPAGATE) {
            peers.ask(node, outgoing, context, handler);
            return;
        }
        awaited.incrementAndGet();
        long since = parts.environment().nanoTime();
        peers.ask(node, outgoing, context, new Handler(handler.isFirst()) {
            @Override
            public void replied(Reply reply) {
                awaited.decrementAndGet();
                handler.replied(reply);
            }

            @Override
            public void failed(PeerFailure failure) {
                awaited.decrementAndGet();
                if (isFirst() && context.isCancelled() && !peers.isSelf(node)) {
                    peers.gaveUpFirst(since);
                }
                handler.failed(failure);
            }
        });
    }

    /** Asks up to {@code count} more replicas for each of these keys, with one request to each node. */
    private void askNext(List<KeyRead> keys, int count, boolean first) {
        Map<Node, List<PendingRequest>> asks = new LinkedHashMap<>();
        for (KeyRead read : keys) {
            for (int i = 0; i < count; i++) {
                int index = read.next.getAndIncrement();
                if (index >= read.replicas.size()) {
                    break;
                }
                asks.computeIfAbsent(read.replicas.get(index), node -> new ArrayList<>())
                        .add(new PendingRequest(read, index == 0));
            }
        }
        // This node's own replica last: it may do its work on this thread, and the others need not wait for that.
        Node local = null;
        for (Map.Entry<Node, List<PendingRequest>> group : asks.entrySet()) {
            if (peers.isSelf(group.getKey())) {
                local = group.getKey();
            } else {
                ask(group.getKey(), group.getValue(), first);
            }
        }
        if (local != null) {
            ask(local, asks.getOrDefault(local, List.of()), first);
        }
    }

    private void ask(Node node, List<PendingRequest> asks, boolean first) {
        int begin = 0;
        int bytes = 0;
        for (int i = 0; i < asks.size(); i++) {
            bytes += Outgoing.BYTES_PER_KEY + asks.get(i).read.key.length();
            if (bytes > MAX_REQUEST_BYTES) {
                askPart(node, asks.subList(begin, i + 1), first);
                begin = i + 1;
                bytes = 0;
            }
        }
        if (begin < asks.size()) {
            askPart(node, asks.subList(begin, asks.size()), first);
        }
    }

    private void askPart(Node node, List<PendingRequest> asks, boolean first) {
        List<Request.Query> queries = new ArrayList<>(asks.size());
        for (PendingRequest ask : asks) {
            queries.add(new Request.Query(ask.read.key, ask.whole));
        }
        Request request = new Request.ReadKeys(queries, limits.inlineValueBytes());
        send(node, Outgoing.of(request), new Handler(first) {
            @Override
            public void replied(Reply reply) {
                if (!held.take(reply.valueBytes())) {
                    refuse();
                    return;
                }
                List<Answer> answers = ((Reply.Found) reply).answers();
                Repairs repairs = new Repairs();
                for (int i = 0; i < answers.size(); i++) {
                    answered(asks.get(i).read, new ReplicaAnswer(node, answers.get(i)), repairs);
                }
                repairs.send();
            }

            @Override
            public void failed(PeerFailure failure) {
                List<KeyRead> again = new ArrayList<>();
                for (PendingRequest ask : asks) {
                    if (missed(ask.read, failure)) {
                        again.add(ask.read);
                    }
                }
                askNext(again, 1, false);
            }
        });
    }

    /** What one reply gives to repair, to be sent together. */
    private final class Repairs {

        private List<Repair> found = List.of();

        void add(Repair found) {
            if (this.found.isEmpty()) {
                this.found = new ArrayList<>();
            }
            this.found.add(found);
        }

        void send() {
            if (!found.isEmpty()) {
                repair.send(found);
            }
        }
    }

    private void answered(KeyRead read, ReplicaAnswer sighting, Repairs repairs) {
        Answers all = read.see(sighting);
        if (all.settled()) {
            read.repairAfter(sighting, all).ifPresent(repairs::add);
        } else if (read.tracker.ack()) {
            read.decided = true;
            settle(read, repairs);
        }
    }

    /**
     * Enough replicas have answered; what is missing of what they hold is fetched, and brought to those that lack it.
     */
    private void settle(KeyRead read, Repairs repairs) {
        // Looked at again: an answer that was counted on another thread may have come after the one that decides.
        Optional<ReplicaAnswer> missing = read.answers().missing();
        if (missing.isPresent()) {
            // Its size is known: it is not fetched before there is room for it.
            if (!held.take(missing.get().valueBytes())) {
                refuse();
                return;
            }
            fetch(read, missing.get(), orderForFetching(read, missing.get().node()), 0);
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
        int needed = read.tracker.policy().ack() - whereabouts.holders().size();
        if (needed > 0) {
            List<Node> others = new ArrayList<>(read.replicas);
            others.removeAll(whereabouts.holders());
            repairs.add(Repair.beforeReply(entry.orElseThrow(), others, needed, new Repair.Outcome() {
                @Override
                public void repaired() {
                    finish(read, entry);
                }

                @Override
                public void failed(String why) {
                    fail("read failed: the newest entry is on too few replicas and could not be brought to more; "
                            + why);
                }
            }));
            return;
        }
        if (!whereabouts.behind().isEmpty()) {
            repairs.add(Repair.behindReply(entry.orElseThrow(), whereabouts.behind()));
        }
        finish(read, entry);
    }

    /** Counts a failure and tells whether another replica shall be asked in its place. */
    private boolean missed(KeyRead read, PeerFailure failure) {
        failures.add(failure);
        if (read.tracker.fail()) {
            read.decided = true;
            boolean overloaded = failure.code().action() == ErrorCode.Action.BACK_OFF;
            fail(
                    overloaded ? failure.code() : ErrorCode.NOT_ENOUGH_REPLICAS,
                    "read failed: " + read.tracker + failures);
            return false;
        }
        return !read.decided && !result.isDone();
    }

    private static List<Node> orderForFetching(KeyRead read, Node first) {
        List<Node> order = new ArrayList<>(read.replicas);
        order.remove(first);
        order.add(0, first);
        return order;
    }

    /**
     * Fetches a value that was only named, from the replica that named it or any other that has it, or something newer.
     */
    private void fetch(KeyRead read, ReplicaAnswer wanted, List<Node> nodes, int index) {
        if (index == nodes.size()) {
            fail("read failed: no replica sent the value of version "
                    + wanted.version().orElseThrow());
            return;
        }
        Request request = new Request.ReadKeys(List.of(new Request.Query(read.key, true)), limits.inlineValueBytes());
        Node node = nodes.get(index);
        send(node, Outgoing.alone(request), new Handler(false) {
            @Override
            public void replied(Reply reply) {
                ReplicaAnswer found =
                        new ReplicaAnswer(node, ((Reply.Found) reply).answers().get(0));
                boolean isNewer = found.entry()
                        .filter(entry ->
                                entry.version().compareTo(wanted.version().orElseThrow()) > 0)
                        .isPresent();
                if (isNewer || (found.entry().isPresent() && found.isSameAs(wanted))) {
                    read.see(found);
                    Repairs repairs = new Repairs();
                    settle(read, repairs);
                    repairs.send();
                } else {
                    fetch(read, wanted, nodes, index + 1);
                }
            }

            @Override
            public void failed(PeerFailure failure) {
                fetch(read, wanted, nodes, index + 1);
            }
        });
    }

    private void finish(KeyRead read, Optional<Entry> entry) {
        read.outcome = entry;
        if (undecided.decrementAndGet() == 0) {
            List<Optional<Entry>> entries = new ArrayList<>(reads.size());
            for (KeyRead each : reads) {
                entries.add(each.outcome);
            }
            result.complete(entries);
            held.end();
            cancelTimer();
            cancelRest();
        }
    }

    private void fail(String message) {
        fail(ErrorCode.NOT_ENOUGH_REPLICAS, message);
    }

    private void fail(ErrorCode code, String message) {
        fail(DhtException.of(code, message));
    }

    private void refuse() {
        fail(held.refused());
    }

    private void fail(DhtException why) {
        result.completeExceptionally(why);
        held.end();
        cancelTimer();
        cancelRest();
    }

    private void setTimer(boolean mayAskMore) {
        ReadTimer begun = new ReadTimer(parts.environment(), peers, context, new Open());
        timer = begun;
        begun.begin(mayAskMore);
    }

    /** What of this read is open, for its timer. */
    private final class Open implements ReadTimer.Waiting {

        @Override
        public boolean isDone() {
            return result.isDone();
        }

        @Override
        public List<KeyRead> open() {
            return reads.stream()
                    .filter(read -> !read.decided && read.next.get() < read.replicas.size())
                    .toList();
        }

        @Override
        public void askOneMore(List<KeyRead> keys) {
            askNext(keys, 1, false);
        }

        @Override
        public void expire() {
            fail(reads.stream()
                    .filter(read -> !read.decided)
                    .findFirst()
                    .map(read -> "read failed: " + read.tracker + " before the deadline" + failures)
                    .orElse("read failed: the newest value did not come, or not to enough replicas, "
                            + "before the deadline"));
        }
    }

    /** To be called when the result is there: a timer that is set just now looks for it afterwards. */
    private void cancelTimer() {
        ReadTimer begun = timer;
        if (begun != null) {
            begun.cancel();
        }
    }

    /** A key asked of a node, and whether the value is wanted whatever its size. */
    private record PendingRequest(KeyRead read, boolean whole) {}
}
