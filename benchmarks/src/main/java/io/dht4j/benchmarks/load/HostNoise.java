package io.dht4j.benchmarks.load;

import io.dht4j.benchmarks.StolenTime;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** What happens besides while a run is counted. For one thread. */
final class HostNoise {

    private final StolenTime stolen = new StolenTime();
    private final long beganNanos = System.nanoTime();
    private final long gcMillis = gc();

    /** Of all processors' time, since this was made; negative where the system does not tell. */
    double stolenPercent() {
        return stolen.percent();
    }

    /** How long the collector has stopped this process since this was made. */
    double gcMillis() {
        return gc() - gcMillis;
    }

    double elapsedMillis() {
        return (System.nanoTime() - beganNanos) / 1e6;
    }

    private static long gc() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                // What collectors do beside the application is no pause.
                .filter(bean -> !bean.getName().endsWith("Cycles"))
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }
}
