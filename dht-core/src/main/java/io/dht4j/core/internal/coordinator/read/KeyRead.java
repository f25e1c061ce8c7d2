package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.quorum.AckTracker;
import io.dht4j.core.internal.coordinator.quorum.Answers;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The state of one key within a read. Without locks: answers come on any thread. */
final class KeyRead {

    final Key key;
    final List<Node> replicas;
    final AckTracker tracker;
    /** Index of the replica to be asked next. */
    final AtomicInteger next = new AtomicInteger();

    private final AtomicReference<Answers> answers = new AtomicReference<>(Answers.NONE);

    /** Whether enough replicas have answered, or too many failed. */
    volatile boolean decided;

    /** Written before the operation's count of undecided keys falls, read after it has reached zero. */
    Optional<Entry> outcome = Optional.empty();

    KeyRead(Key key, List<Node> replicas, ReplicationPolicy policy) {
        this.key = key;
        this.replicas = replicas;
        this.tracker = new AckTracker(policy);
    }

    /**
     * Keeps an answer; to be called before it is counted.
     *
     * @return all answers up to this one
     */
    Answers see(ReplicaAnswer sighting) {
        return Objects.requireNonNull(answers.updateAndGet(seen -> seen.with(sighting)));
    }

    /**
     * Settles the read. Every answer is either among those that are returned, or learns when it is {@linkplain #see
     * kept} that it is late.
     *
     * @return the answers until now
     */
    Answers settle() {
        return Objects.requireNonNull(answers.updateAndGet(Answers::thatSettle));
    }

    /** All answers until now. */
    Answers answers() {
        return Objects.requireNonNull(answers.get());
    }

    /**
     * What a late answer gives to repair: its replica is behind, or those before it are. Where a large value that may
     * be newer was only named, nothing: it would have to be fetched for a repair that nobody waits for.
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
                : Optional.of(Repair.behindReply(newest.get().entry().orElseThrow(), stale));
    }
}
