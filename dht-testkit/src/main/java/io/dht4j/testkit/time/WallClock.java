package io.dht4j.testkit.time;

import java.time.Duration;

/** The wall clock of one node: virtual time with an offset and a drift. */
final class WallClock {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long MILLION = 1_000_000;

    private final Simulation simulation;
    private long offsetMillis;
    /** The excess of the clock in nanoseconds per millisecond; negative for a slow clock. */
    private int driftPpm;
    /** When the present drift began, in elapsed time. */
    private long driftSinceNanos;
    /** The sum of earlier drifts in the offset. */
    private long driftedNanos;

    WallClock(Simulation simulation, long offsetMillis) {
        this.simulation = simulation;
        this.offsetMillis = offsetMillis;
    }

    /** Returns a clock that shows this one's time and drifts as it does, and is independent afterwards. */
    WallClock copy() {
        WallClock copy = new WallClock(simulation, offsetMillis);
        copy.driftPpm = driftPpm;
        copy.driftSinceNanos = driftSinceNanos;
        copy.driftedNanos = driftedNanos;
        return copy;
    }

    /** Returns the milliseconds since 1970. */
    long millis() {
        // Rounded once, so that a slow clock never goes back by a millisecond.
        return VirtualEnvironment.START_MILLIS
                + offsetMillis
                + Math.floorDiv(simulation.elapsedNanos() + driftNanos(), NANOS_PER_MILLI);
    }

    /** Returns how far all drifts have moved the clock ahead. */
    private long driftNanos() {
        long since = simulation.elapsedNanos() - driftSinceNanos;
        // In two parts, since the product would overflow for a long time.
        long ofSeconds = since / NANOS_PER_SECOND * (NANOS_PER_SECOND / MILLION) * driftPpm;
        return driftedNanos + ofSeconds + Math.floorDiv(since % NANOS_PER_SECOND * driftPpm, MILLION);
    }

    void setOffset(Duration offset) {
        offsetMillis = offset.toMillis();
        driftedNanos = 0;
        driftSinceNanos = simulation.elapsedNanos();
    }

    void setDrift(int partsPerMillion) {
        if (partsPerMillion <= -MILLION || partsPerMillion > MILLION) {
            throw new IllegalArgumentException(
                    "the drift of a clock must be more than -1000000 and not more than 1000000 parts per million, not "
                            + partsPerMillion);
        }
        driftedNanos = driftNanos();
        driftSinceNanos = simulation.elapsedNanos();
        driftPpm = partsPerMillion;
    }
}
