package io.dht4j.store.hints;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes of the hints of all nodes in files. Safe for use by any number of threads. */
final class HintBytes {

    /** The present bytes. */
    final AtomicLong held = new AtomicLong();

    /** The bytes of lost hints, which were neither delivered nor reported as expired; only grows. */
    final AtomicLong lost = new AtomicLong();
}
