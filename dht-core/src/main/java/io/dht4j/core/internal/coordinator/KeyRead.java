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
    private final AtomicReference<Seen> seen = new AtomicReference<>(Seen.NOTHING);
    /** What the read was settled on, or something newer that came later. */
    private final AtomicReference<Optional<Entry>> settledOn = new AtomicReference<>(Optional.empty());
    /** Who had answered until then. */
    private volatile Seen answered = Seen.NOTHING;

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

    /**
     * Keeps an answer; to be called before it is counted.
     *
     * @return whether it comes late: the read has been settled, and whoever brought the answer looks whether a replica is behind
     */
    boolean see(Sighting sighting) {
        newest.accumulateAndGet(sighting, (best, next) -> next.supersedes(best) ? next : best);
        Seen before;
        do {
            before = Objects.requireNonNull(seen.get());
            if (before == Seen.SETTLED) {
                return true;
            }
        } while (!seen.compareAndSet(before, new Seen(sighting, before)));
        return false;
    }

    /**
     * Settles the read. Every answer is either among those that are returned, or late.
     *
     * @return the answers until now
     */
    Seen settle(Optional<Entry> entry) {
        settledOn.set(entry);
        Seen all = Objects.requireNonNull(seen.getAndSet(Seen.SETTLED));
        answered = all;
        return all;
    }

    /**
     * Which replicas are behind by what a late answer tells: it is itself, or those before it are. Of a large value, whose version alone
     * came, nothing: it would have to be fetched for a repair that nobody waits for.
     */
    List<Node> behindAfter(Sighting late) {
        Optional<Entry> known = settledOn();
        if (late.answer() instanceof Answer.Whole whole && isNewer(whole.entry(), known)) {
            settledOn.accumulateAndGet(
                    Optional.of(whole.entry()), (a, b) -> b.isPresent() && isNewer(b.get(), a) ? b : a);
            return answered.behind(whole.entry());
        }
        return known.filter(late::isBehind).isPresent() ? List.of(late.node()) : List.of();
    }

    private static boolean isNewer(Entry entry, Optional<Entry> than) {
        return than.isEmpty() || entry.supersedes(than.get());
    }

    Optional<Entry> settledOn() {
        return Objects.requireNonNull(settledOn.get());
    }

    Sighting newest() {
        return Objects.requireNonNull(newest.get());
    }
}
