package io.dht4j.lab.internal.load.open;

import io.dht4j.lab.internal.counters.StolenTime;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** Measures other activity of the host during a run. Confined to one thread. */
public final class HostNoise {

    private final StolenTime stolen = new StolenTime();
    private final long beganNanos = System.nanoTime();
    private final long gcMillis = gc();

    /** Begins to measure. */
    public HostNoise() {}

    /** Returns the stolen percentage of all processors' time since creation; negative if unknown. */
    public double stolenPercent() {
        return stolen.percent();
    }

    /** Returns for how long the collector has stopped this process since creation. */
    public double gcMillis() {
        return gc() - gcMillis;
    }

    /** Returns the time since creation. */
    public double elapsedMillis() {
        return (System.nanoTime() - beganNanos) / 1e6;
    }

    private static long gc() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                // Concurrent work of collectors is no pause.
                .filter(bean -> !bean.getName().endsWith("Cycles"))
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }
}
