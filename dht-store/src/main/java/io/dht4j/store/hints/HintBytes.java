package io.dht4j.store.hints;

import java.util.concurrent.atomic.AtomicLong;

/** What the hints of all nodes together take in files. Safe for use by any number of threads. */
final class HintBytes {

    /** How much there is. */
    final AtomicLong held = new AtomicLong();

    /** How much is gone that was neither delivered nor reported as expired; only grows. */
    final AtomicLong lost = new AtomicLong();
}
