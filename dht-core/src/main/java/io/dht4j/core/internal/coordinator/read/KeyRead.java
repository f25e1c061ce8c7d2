package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.core.internal.coordinator.quorum.Answers;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.core.internal.membership.ClusterView;
import io.dht4j.core.internal.membership.FencingToken;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The state of one key within a read, by one table. Lock-free: answers arrive on any thread. */
final class KeyRead {

    final Key key;
    final List<Node> replicas;
    final AckTracker tracker;

    /** What replicas compare with their tables; null in a static cluster. */
    final @Nullable FencingToken token;

    /** The number of replicas that have been asked, or more. */
    final AtomicInteger next = new AtomicInteger();

    private final AtomicReference<Answers> answers = new AtomicReference<>(Answers.NONE);

    /** Whether enough replicas have answered, or too many have failed. */
    volatile boolean decided;

    /** Written before the operation's count of undecided keys is decremented, and read after it has reached zero. */
    Optional<Entry> outcome = Optional.empty();

    /** The same key by a newer table. */
    private volatile @Nullable KeyRead later;

    KeyRead(Key key, List<Node> replicas, ReplicationPolicy policy, @Nullable FencingToken token) {
        this.token = token;
        this.key = key;
        this.replicas = replicas;
        this.tracker = new AckTracker(policy);
    }

    /**
     * Plans the read of a key by a view.
     *
     * @throws io.dht4j.OverloadedException if too few replicas have room for it
     */
    static KeyRead plan(Key key, ReplicaClient client, ReplicationPolicy policy, ClusterView view) {
        List<Node> replicas = view.replicas(key, policy.from());
        client.limits().require(replicas, policy);
        return new KeyRead(key, client.order().byPreference(replicas), policy, view.token(key));
    }

    /** Replaces it by a read of the key by a newer table. */
    void replaceBy(KeyRead newer) {
        later = newer;
    }

    KeyRead latest() {
        KeyRead latest = this;
        for (KeyRead each = later; each != null; each = each.later) {
            latest = each;
        }
        return latest;
    }

    /** Returns up to {@code count} replicas that are not asked yet; now they count as asked. */
    List<Node> take(int count) {
        int begin = Math.min(next.getAndAdd(count), replicas.size());
        return replicas.subList(begin, Math.min(begin + count, replicas.size()));
    }

    /**
     * Adds an answer; called before it is counted.
     *
     * @return all answers up to this one
     */
    Answers add(ReplicaAnswer answer) {
        return Objects.requireNonNull(answers.updateAndGet(before -> before.with(answer)));
    }

    /**
     * Settles the read. Every answer is either among the returned ones, or late, as its {@link #add} shows.
     *
     * @return the answers until now
     */
    Answers settle() {
        return Objects.requireNonNull(answers.updateAndGet(Answers::thatSettle));
    }

    /** Returns all answers until now. */
    Answers answers() {
        return Objects.requireNonNull(answers.get());
    }

    /**
     * Returns the repair that a late answer calls for, of its own replica or of those that have answered before. There
     * is none if a large value that may be newer has not been sent: it would have to be fetched for a repair that
     * nobody waits for.
     */
    Optional<Repair> repairAfter(ReplicaAnswer late, Answers all) {
        Optional<ReplicaAnswer> newest = all.newest();
        if (newest.isEmpty() || all.missing().isPresent()) {
            return Optional.empty();
        }
        List<Node> stale = newest.get() == late
                ? all.whereabouts(replicas, late).behind()
                : late.isBehind(newest.get()) ? List.of(late.node()) : List.of();
        return stale.isEmpty()
                ? Optional.empty()
                : Optional.of(Repair.behindReply(newest.get().entry().orElseThrow(), stale, token));
    }
}
