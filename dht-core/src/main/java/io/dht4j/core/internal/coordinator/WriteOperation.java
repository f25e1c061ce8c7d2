package io.dht4j.core.internal.coordinator;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One write of one or several entries: sends each to its first {@code from} replicas at the same time and completes when
 * for every entry {@code ack} of them have it, or when for some entry that can no longer be.
 */
final class WriteOperation {

    /** An entry and the count of its replicas' answers. */
    private record Write(Entry entry, AckTracker tracker) {}

    private final Peers peers;
    private final MissedWrites missed;
    private final CallContext context;
    private final AtomicInteger undecided;
    private final CompletableFuture<Void> result = new CompletableFuture<>();
    private final Environment.Timer deadline;
    private final List<Write> writes;
    private volatile boolean maybeDone;
    private volatile @Nullable PeerFailure lastFailure;

    private WriteOperation(Parts parts, Peers peers, Handoff handoff, CallContext context, List<Write> writes) {
        this.peers = peers;
        this.missed = new MissedWrites(handoff);
        this.context = context;
        this.writes = writes;
        this.undecided = new AtomicInteger(writes.size());
        this.deadline = parts.environment().schedule(this::expire, context.remainingNanos());
    }

    /**
     * Starts a write.
     *
     * @throws io.dht4j.OverloadedException if too few replicas have room for it; then nothing was done
     */
    static CompletableFuture<Void> start(
            Parts parts,
            Peers peers,
            Handoff handoff,
            List<Entry> entries,
            ReplicationPolicy policy,
            CallContext context,
            int maxValueBytes) {
        // Before anything is sent, so that it is certain that nothing was done.
        for (Entry entry : entries) {
            peers.room().require(parts.replicas(entry.key(), policy.from()), policy);
        }
        List<Write> writes = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            writes.add(new Write(entry, new AckTracker(policy)));
        }
        WriteOperation operation = new WriteOperation(parts, peers, handoff, context, writes);
        if (writes.size() == 1) {
            List<Node> replicas = parts.replicas(entries.get(0).key(), policy.from());
            operation.send(replicas, writes, entries);
        } else {
            operation
                    .group(parts, policy.from())
                    .forEach((node, group) -> operation.sendGroup(node, group, maxValueBytes));
        }
        return operation.result;
    }

    private Map<Node, List<Write>> group(Parts parts, int from) {
        Map<Node, List<Write>> groups = new LinkedHashMap<>();
        for (Write write : writes) {
            for (Node node : parts.replicas(write.entry().key(), from)) {
                groups.computeIfAbsent(node, n -> new ArrayList<>()).add(write);
            }
        }
        return groups;
    }

    private void sendGroup(Node node, List<Write> group, int maxBytes) {
        EntryGroups.split(group, Write::entry, maxBytes, part -> sendPart(node, part));
    }

    private void sendPart(Node node, List<Write> part) {
        send(List.of(node), part, part.stream().map(Write::entry).toList());
    }

    private void send(List<Node> nodes, List<Write> part, List<Entry> entries) {
        Outgoing outgoing = Outgoing.of(new Request.ApplyEntries(entries));
        ReplyHandler handler = new ReplyHandler() {
            @Override
            public void replied(Reply reply) {
                part.forEach(write -> acknowledged(write));
            }

            @Override
            public void failed(PeerFailure failure) {
                lastFailure = failure;
                if (!failure.nothingDone()) {
                    maybeDone = true;
                }
                nodes.stream()
                        .filter(node -> node.id().equals(failure.node()))
                        .forEach(node -> missed.add(node, entries));
                part.forEach(write -> missed(write));
            }
        };
        // The local replica last: it may do its work on this thread, and the others need not wait for that.
        Node local = null;
        for (Node node : nodes) {
            if (peers.isSelf(node)) {
                local = node;
            } else {
                peers.ask(node, outgoing, context, handler);
            }
        }
        if (local != null) {
            peers.ask(local, outgoing, context, handler);
        }
    }

    private void acknowledged(Write write) {
        if (write.tracker().ack() && undecided.decrementAndGet() == 0) {
            deadline.cancel();
            if (missed.keep()) {
                result.complete(null);
            }
        }
    }

    private void missed(Write write) {
        AckTracker tracker = write.tracker();
        if (tracker.fail()) {
            deadline.cancel();
            boolean nothingDone = !maybeDone
                    && tracker.acks() == 0
                    && tracker.failures() == tracker.policy().from();
            PeerFailure last = lastFailure;
            String why = last == null ? "" : "; " + last;
            fail(tracker + why, writes.size() == 1 && nothingDone, last);
        }
    }

    private void expire() {
        if (result.isDone()) {
            return;
        }
        String counts = "";
        for (Write write : writes) {
            if (write.tracker().acks() < write.tracker().policy().ack()) {
                counts = write.tracker().toString();
                break;
            }
        }
        fail(counts + " before the deadline", false, null);
    }

    private void fail(String message, boolean nothingDone, @Nullable PeerFailure last) {
        if (nothingDone ? missed.forget() : missed.keep()) {
            result.completeExceptionally(failure(message, nothingDone, last));
        }
    }

    private static DhtException failure(String message, boolean nothingDone, @Nullable PeerFailure last) {
        if (!nothingDone) {
            return new IndeterminateException(ErrorCode.WRITE_INDETERMINATE, "write not confirmed: " + message);
        }
        if (last != null && last.code().action() == ErrorCode.Action.BACK_OFF) {
            return DhtException.of(last.code(), message);
        }
        return new UnavailableException(ErrorCode.NOT_ENOUGH_REPLICAS, "nothing written: " + message);
    }
}
