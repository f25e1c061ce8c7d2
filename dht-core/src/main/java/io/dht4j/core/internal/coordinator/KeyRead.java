package io.dht4j.core.internal.coordinator;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.wire.Answer;
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

    private final AtomicReference<Sighting> newest;

    /** Whether enough replicas have answered, or too many failed. */
    volatile boolean decided;

    /** Written before the operation's count of undecided keys falls, read after it has reached zero. */
    Optional<Entry> outcome = Optional.empty();

    KeyRead(Key key, List<Node> replicas, ReplicationPolicy policy) {
        this.key = key;
        this.replicas = replicas;
        this.tracker = new AckTracker(policy);
        this.newest = new AtomicReference<>(new Sighting(replicas.get(0), new Answer.Absent()));
    }

    /** Keeps the newest answer; to be called before the answer is counted. */
    void see(Sighting sighting) {
        newest.accumulateAndGet(sighting, (seen, next) -> next.supersedes(seen) ? next : seen);
    }

    Sighting newest() {
        return Objects.requireNonNull(newest.get());
    }
}
