package io.dht4j.benchmarks.load.client;

import java.util.concurrent.atomic.AtomicInteger;

/** Selects indices round-robin. Safe for use by any number of threads. */
final class RoundRobin {

    private final AtomicInteger next = new AtomicInteger();
    private final int count;

    RoundRobin(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("there must be one at least");
        }
        this.count = count;
    }

    /** Returns an index, from 0 to one less than the number. */
    int next() {
        return Integer.remainderUnsigned(next.getAndIncrement(), count);
    }
}
