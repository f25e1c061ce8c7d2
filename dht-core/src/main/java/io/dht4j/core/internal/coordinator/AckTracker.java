package io.dht4j.core.internal.coordinator;

import io.dht4j.ReplicationPolicy;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the answers of a key's replicas and tells when the outcome is certain: {@code ack} of them have answered, or so
 * many have failed that {@code ack} can no longer be reached. Exactly one of the calls that report answers learns of the
 * outcome. Without I/O, time or locks; safe for use by any number of threads.
 */
final class AckTracker {

    private final ReplicationPolicy policy;
    private final AtomicInteger acks = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();

    AckTracker(ReplicationPolicy policy) {
        this.policy = policy;
    }

    /** Counts an answer; true for the one that makes enough. */
    boolean ack() {
        return acks.incrementAndGet() == policy.ack();
    }

    /**
     * Counts a failure; true for the one that makes enough impossible. It and {@link #ack()} cannot both be true, since
     * {@code ack} answers and {@code from - ack + 1} failures are more than {@code from} replicas.
     */
    boolean fail() {
        return failures.incrementAndGet() == policy.from() - policy.ack() + 1;
    }

    int acks() {
        return acks.get();
    }

    int failures() {
        return failures.get();
    }

    ReplicationPolicy policy() {
        return policy;
    }

    /** {@code 1 of 3 needed replicas answered (of the first 3, 1 failed)}, for messages. */
    @Override
    public String toString() {
        return acks() + " of " + policy.ack() + " needed replicas answered (of the first " + policy.from() + ", "
                + failures() + " failed)";
    }
}
