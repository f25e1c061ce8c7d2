package io.dht4j.benchmarks.target;

import java.util.concurrent.atomic.AtomicInteger;

/** Selects indices in turn. Safe for use by any number of threads. */
final class Turns {

    private final AtomicInteger next = new AtomicInteger();
    private final int count;

    Turns(int count) {
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
