package io.dht4j.core.internal.repair.session;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairCounters;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.Request.Query;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles a group of keys in which two replicas seemed to differ. It compares them again, since a write may have
 * been in flight during the comparison. It then sends the newer entry of each key that still differs to the side that
 * lacks it. Methods do not block.
 */
final class EntryReconciler {

    private static final Logger LOG = LoggerFactory.getLogger(EntryReconciler.class);

    /** The size of a group of entries that are sent together; a larger entry is sent alone. */
    private static final int GROUP_BYTES = 64 << 10;

    /** The bytes of an answer: a version, a size and a digest. Small values add to it. */
    private static final int BYTES_OF_ANSWER = Long.BYTES + 2 * Integer.BYTES;

    private static final Version NONE = new Version(0);

    private final LocalReplica local;
    private final RepairPeers peers;
    private final Throttle throttle;
    private final Node node;
    private final RepairCounters counters;
    private final ComparedPartitions compared;

    /** Entries that the other node lacks. */
    private final List<Key> toSend = new ArrayList<>();

    /** Values that this node lacks, with their sizes. */
    private final List<LargeValue> toFetch = new ArrayList<>();

    private final List<Entry> toApply = new ArrayList<>();
    private final List<Entry> tombstonesToSend = new ArrayList<>();

    /** Tombstones of entries that only this node holds, and that the others have deleted and purged. */
    private final List<Entry> deletedElsewhere = new ArrayList<>();

    /** Registers of which the two sides have accepted different states. */
    private final List<Key> toUnify = new ArrayList<>();

    /** A value to fetch. One that did not fit into a reply with others is fetched alone. */
    private record LargeValue(Key key, int bytes, boolean alone) {}

    EntryReconciler(SessionContext context, Node node, ComparedPartitions compared) {
        this.local = context.local();
        this.peers = context.peers();
        this.throttle = context.throttle();
        this.counters = context.counters();
        this.node = node;
        this.compared = compared;
    }

    /** Reconciles both sides to the newest entry of each key. */
    CompletableFuture<Void> reconcile(List<Key> keys) {
        List<Query> queries = keys.stream().map(key -> new Query(key, false)).toList();
        long bytes =
                keys.stream().mapToLong(key -> key.length() + BYTES_OF_ANSWER).sum();
        return throttle.throttled(bytes, () -> peers.ask(node, new RepairRequest.Entries(queries)))
                .thenCompose(reply -> throttle.onStore(() -> {
                    classify(keys, ((Reply.Found) reply).answers());
                    if (compared.isSendingOnly()) {
                        toApply.clear();
                        toFetch.clear();
                        deletedElsewhere.clear();
                        toUnify.clear();
                    }
                    return reply;
                }))
                .thenCompose(done -> checkWatermarks())
                .thenCompose(done -> applyHere(deletedElsewhere))
                .thenCompose(done -> applyHere(toApply))
                .thenCompose(done -> sendGroup(tombstonesToSend))
                .thenCompose(done -> fetch(0))
                .thenCompose(done -> send(0))
                .thenCompose(done -> unify(0));
    }

    private CompletableFuture<Void> unify(int index) {
        if (index == toUnify.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Key key = toUnify.get(index);
        return throttle.throttled(key.length() + BYTES_OF_ANSWER, () -> peers.unify(key))
                .handle((done, error) -> {
                    if (error == null) {
                        compared.received(key);
                    } else {
                        counters.refused(
                                1,
                                "register " + key + ": "
                                        + DhtException.unwrap(error).getMessage());
                        compared.refusedThere(key);
                    }
                    return null;
                })
                .thenCompose(done -> unify(index + 1));
    }

    /** Determines, on a store thread, which keys still differ and which side is newer. */
    private void classify(List<Key> keys, List<Answer> answers) {
        List<Optional<Entry>> owns = local.get(keys);
        for (int i = 0; i < keys.size(); i++) {
            Key key = keys.get(i);
            Optional<Entry> own = owns.get(i);
            Answer other = answers.get(i);
            if (AtomicSpace.contains(key)) {
                register(key, own, other);
            } else if (own.isPresent()) {
                if (other instanceof Answer.Absent) {
                    onlyHere(own.get());
                } else {
                    onBoth(own.get(), other);
                }
            } else if (!(other instanceof Answer.Absent)) {
                onlyThere(key, other);
            }
        }
    }

    /**
     * Lets the replicas of a register agree, since the newer of two accepted states is not necessarily the chosen one.
     * As long as this node tells nothing about the register, it takes over what the other side has accepted: it copies
     * the other one, or is closed since it lacks entries.
     */
    private void register(Key key, Optional<Entry> own, Answer other) {
        Version here = own.map(Entry::version).orElse(NONE);
        Version there = other instanceof Answer.Absent ? NONE : versionOf(other);
        boolean isPurgedThere = there.equals(NONE) && here.compareTo(compared.deletedBelow(key)) < 0;
        boolean isPurgedHere = own.isEmpty() && !takesOver(key) && there.compareTo(compared.purgedHere(key)) < 0;
        boolean isCopied = compared.isCopying() && here.compareTo(there) > 0;
        if (isPurgedThere && compared.isRolledBackHere(key)) {
            own.filter(entry -> !entry.isTombstone()).ifPresent(this::deleteHere);
        }
        if (here.equals(there) || isPurgedThere || isPurgedHere || isCopied) {
            return;
        }
        compared.differs(key, later(here, there));
        if (!takesOver(key)) {
            toUnify.add(key);
        } else if (there.compareTo(here) > 0) {
            fetchOrApply(key, other);
        }
    }

    private boolean takesOver(Key register) {
        return compared.isCopying() || compared.isRolledBackHere(register);
    }

    private void onlyHere(Entry own) {
        Key key = own.key();
        if (own.version().compareTo(compared.deletedBelow(key)) >= 0) {
            compared.differs(key, own.version());
            // Replicas that are not rolled back decide on an entry that may have been deleted.
            if (!compared.mayBeDeleted(key, own.version())) {
                toSend.add(key);
            }
        } else if (!own.isTombstone()) {
            // All other replicas had deleted it and purged its tombstone while this one was away: it must stay deleted.
            compared.differs(key, own.version());
            LOG.debug("{} was deleted and purged elsewhere", key);
            deleteHere(own);
        }
    }

    private void deleteHere(Entry own) {
        Key key = own.key();
        deletedElsewhere.add(Entry.tombstone(key, later(own.version(), local.fenced(local.partitionOf(key)))));
    }

    /**
     * Checks that the other node's fence watermarks still hold. It may have restarted with another disk, or an empty
     * one, since it reported them; then a missing entry was not necessarily deleted. A node keeps its watermarks as
     * long as the entries that they cover.
     */
    private CompletableFuture<Void> checkWatermarks() {
        PartitionSet partitions = PartitionSet.builder()
                .addAll(deletedElsewhere.stream().mapToInt(entry -> local.partitionOf(entry.key())))
                .build();
        return checkWatermarks(partitions.chunks(LocalReplica.MAX_SUMS), 0);
    }

    private CompletableFuture<Void> checkWatermarks(List<PartitionSet> chunks, int index) {
        if (index == chunks.size()) {
            return CompletableFuture.completedFuture(null);
        }
        PartitionSet chunk = chunks.get(index);
        // At once, without pacing: the node has no time to restart with its old disk again.
        return peers.ask(node, new RepairRequest.Sums(chunk, RepairRequest.Detail.WATERMARKS, LocalReplica.NO_SEAL))
                .thenCompose(reply -> {
                    checkWatermarks(chunk, ((RepairReply.Sums) reply).fenced());
                    return checkWatermarks(chunks, index + 1);
                });
    }

    private void checkWatermarks(PartitionSet partitions, List<Long> fenced) {
        Map<Integer, Version> now = new HashMap<>();
        partitions.forEach(partition -> now.put(partition, new Version(fenced.get(now.size()))));
        for (Entry entry : deletedElsewhere) {
            Version fencedNow = now.get(local.partitionOf(entry.key()));
            if (fencedNow != null && fencedNow.compareTo(compared.deletedBelow(entry.key())) < 0) {
                throw new RepairException(
                        ErrorCode.REPLICA_REFILLING,
                        "node " + node.id() + ": it lost its disk, or was rolled back, while it was compared");
            }
        }
    }

    private void onlyThere(Key key, Answer other) {
        Version version = versionOf(other);
        boolean mayBeDeleted = compared.mayBeDeleted(key, version);
        if (mayBeDeleted || version.compareTo(compared.purgedHere(key)) >= 0) {
            compared.differs(key, version);
            if (!mayBeDeleted || compared.isComplete(key)) {
                fetchOrApply(key, other);
            }
        } else if (!(other instanceof Answer.Whole whole && whole.entry().isTombstone())) {
            compared.differs(key, version);
            tombstonesToSend.add(Entry.tombstone(key, later(version, compared.fencedThere(key))));
        }
    }

    /** A tombstone gets at least the version of the recipient's fence watermark, so that the recipient accepts it. */
    private static Version later(Version one, Version other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private void onBoth(Entry own, Answer other) {
        Version version = versionOf(other);
        int newer = own.version().compareTo(version);
        if (newer == 0 && own.digest() == digestOf(other)) {
            return;
        }
        compared.differs(own.key(), newer > 0 ? own.version() : version);
        boolean mayBeDeleted = compared.mayBeDeleted(own.key(), newer > 0 ? own.version() : version);
        if (newer > 0) {
            if (!mayBeDeleted) {
                toSend.add(own.key());
            }
        } else if (!mayBeDeleted || compared.isComplete(own.key())) {
            fetchOrApply(own.key(), other);
            if (newer == 0 && !mayBeDeleted) {
                // The store decides which one wins when they are merged: here first, then there.
                toSend.add(own.key());
            }
        }
    }

    private void fetchOrApply(Key key, Answer other) {
        if (other instanceof Answer.Whole whole) {
            toApply.add(whole.entry());
        } else {
            toFetch.add(new LargeValue(key, ((Answer.VersionOnly) other).valueBytes(), false));
        }
    }

    private static Version versionOf(Answer answer) {
        return answer instanceof Answer.Whole whole ? whole.entry().version() : ((Answer.VersionOnly) answer).version();
    }

    private static int digestOf(Answer answer) {
        return answer instanceof Answer.Whole whole ? whole.entry().digest() : ((Answer.VersionOnly) answer).digest();
    }

    private CompletableFuture<Void> applyHere(List<Entry> entries) {
        return move(entries, peers::apply, compared::refusedHere, moved -> {
            counters.received(
                    moved,
                    moved.stream()
                            .filter(entry -> compared.isRolledBackHere(entry.key()))
                            .count());
            moved.forEach(entry -> compared.received(entry.key()));
        });
    }

    private CompletableFuture<Void> fetch(int begin) {
        if (begin == toFetch.size()) {
            return CompletableFuture.completedFuture(null);
        }
        long bytes = 0;
        int end = begin;
        List<Query> queries = new ArrayList<>();
        while (end < toFetch.size()
                && (end == begin
                        || (!toFetch.get(end).alone()
                                && bytes + toFetch.get(end).bytes() <= GROUP_BYTES))) {
            bytes += toFetch.get(end).bytes();
            queries.add(new Query(toFetch.get(end).key(), true));
            end++;
        }
        int next = end;
        return throttle.throttled(bytes, () -> peers.ask(node, new RepairRequest.Entries(queries)))
                .thenCompose(reply -> applyHere(fetched(queries, ((Reply.Found) reply).answers())))
                .thenCompose(done -> fetch(next));
    }

    /**
     * Returns the values that have arrived. Missing ones are requested again one by one, since the size of a reply is
     * limited. A value that does not fit into a separate reply stays different.
     */
    private List<Entry> fetched(List<Query> queries, List<Answer> answers) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < queries.size(); i++) {
            Key key = queries.get(i).key();
            if (answers.get(i) instanceof Answer.Whole whole) {
                if (mayApply(whole.entry())) {
                    entries.add(whole.entry());
                }
            } else if (answers.get(i) instanceof Answer.VersionOnly left) {
                if (queries.size() > 1) {
                    toFetch.add(new LargeValue(key, left.valueBytes(), true));
                } else {
                    compared.refusedHere(key);
                }
            }
        }
        return entries;
    }

    private boolean mayApply(Entry entry) {
        return compared.isComplete(entry.key()) || !compared.mayBeDeleted(entry.key(), entry.version());
    }

    private CompletableFuture<Void> send(int begin) {
        if (begin == toSend.size()) {
            return CompletableFuture.completedFuture(null);
        }
        return throttle.onStore(() -> readGroup(begin))
                .thenCompose(group -> sendGroup(group.entries()).thenCompose(done -> send(group.end())));
    }

    /** Entries to send, and the position of the next group. */
    private record Group(List<Entry> entries, int end) {}

    private Group readGroup(int begin) {
        List<Entry> entries = new ArrayList<>();
        long bytes = 0;
        int end = begin;
        while (end < toSend.size()) {
            Optional<Entry> entry =
                    local.get(toSend.get(end)).filter(each -> !compared.mayBeDeleted(each.key(), each.version()));
            int size = entry.map(FrameCodec::encodedSize).orElse(0);
            if (!entries.isEmpty() && bytes + size > GROUP_BYTES) {
                break;
            }
            entry.ifPresent(entries::add);
            bytes += size;
            end++;
        }
        return new Group(entries, end);
    }

    private CompletableFuture<Void> sendGroup(List<Entry> entries) {
        return move(
                entries,
                some -> throttle.throttled(
                        some.stream().mapToLong(FrameCodec::encodedSize).sum(),
                        () -> peers.ask(node, new Request.ApplyEntries(some))),
                compared::refusedThere,
                counters::sent);
    }

    /**
     * Sends entries to one side. The entries of a refused group are sent one by one, so that one refused entry does not
     * prevent the repair of the others.
     */
    private CompletableFuture<Void> move(
            List<Entry> entries,
            Function<List<Entry>, CompletableFuture<Reply>> way,
            Consumer<Key> refused,
            Consumer<List<Entry>> moved) {
        if (entries.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return way.apply(entries)
                .handle((reply, error) -> {
                    if (error == null) {
                        moved.accept(entries);
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    Throwable cause = DhtException.unwrap(error);
                    if (!(cause instanceof RepairException failure && failure.isRefusal())) {
                        return CompletableFuture.<Void>failedFuture(cause);
                    }
                    if (entries.size() > 1) {
                        return moveEach(entries, 0, way, refused, moved);
                    }
                    counters.refused(1, String.valueOf(cause.getMessage()));
                    refused.accept(entries.get(0).key());
                    return CompletableFuture.<Void>completedFuture(null);
                })
                .thenCompose(next -> next);
    }

    private CompletableFuture<Void> moveEach(
            List<Entry> entries,
            int index,
            Function<List<Entry>, CompletableFuture<Reply>> way,
            Consumer<Key> refused,
            Consumer<List<Entry>> moved) {
        return index == entries.size()
                ? CompletableFuture.completedFuture(null)
                : move(List.of(entries.get(index)), way, refused, moved)
                        .thenCompose(done -> moveEach(entries, index + 1, way, refused, moved));
    }
}
