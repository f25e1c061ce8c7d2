package io.dht4j.server.config;

import io.dht4j.CancellationPolicy;
import io.dht4j.Hedging;
import io.dht4j.Ordering;
import io.dht4j.ReadFanOut;
import io.dht4j.core.options.Batching;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * The settings of requests.
 *
 * @param reads which replicas a read asks
 * @param hedging when a read asks one more replica
 * @param timeout how long a request may take
 * @param slowCalls how long a call takes at least that is logged as slow; zero for none
 * @param ordering in which order the operations on a key take effect
 * @param startPatience how long the node waits for the others at its start
 * @param maxValueBytes the largest value
 * @param batching how requests to a node are combined in frames
 * @param cancellation how requests to replicas are treated whose replies are no longer wanted
 * @param handoff how writes that other nodes missed are handed off
 * @param repair how replicas are compared in the background
 * @param snapshotBytes how much may be kept for snapshots, if not a share of the heap
 */
public record CallChoice(
        ReadFanOut reads,
        Hedging hedging,
        Duration timeout,
        Duration slowCalls,
        Ordering ordering,
        Duration startPatience,
        int maxValueBytes,
        Batching batching,
        CancellationPolicy cancellation,
        HintedHandoff handoff,
        Repair repair,
        OptionalLong snapshotBytes) {

    /** The longest timeout in milliseconds. */
    static final int LONGEST_MILLIS = 3_600_000;

    /** The longest wait at the start in milliseconds. */
    static final int LONGEST_PATIENCE_MILLIS = 600_000;

    /** The largest value that may be configured: 512 MiB, for a frame holds it and more. */
    static final int LARGEST_VALUE = 512 << 20;

    /** The longest time between two repair sessions: 30 days. */
    static final int LONGEST_INTERVAL_SECONDS = 30 * 24 * 3600;

    /** The slowest repair: 16 KiB per second. */
    static final int LEAST_REPAIR_KIB = 16;

    /** The fastest repair: 1 GiB per second. */
    static final int MOST_REPAIR_KIB = 1 << 20;

    /** The most memory for snapshots: 1 TiB. */
    static final int MOST_SNAPSHOT_MIB = 1 << 20;

    /** The most frames of a kind in flight to a node. */
    static final int MOST_FRAMES = 1_000;

    static CallChoice of(SettingsReader given) throws ConfigException {
        return new CallChoice(
                given.choice(Setting.READS, ReadFanOut.class),
                given.read(Setting.HEDGE, CallChoice::hedging),
                Duration.ofMillis(given.number(Setting.TIMEOUT, 1, LONGEST_MILLIS)),
                Duration.ofMillis(given.number(Setting.SLOW_CALLS, 0, LONGEST_MILLIS)),
                given.choice(Setting.ORDERING, Ordering.class),
                Duration.ofMillis(given.number(Setting.START_PATIENCE, 0, LONGEST_PATIENCE_MILLIS)),
                given.number(Setting.MAX_VALUE_BYTES, 1, LARGEST_VALUE),
                batching(given),
                given.choice(Setting.CANCELLATION, CancellationPolicy.class),
                given.onOff(Setting.HANDOFF) ? HintedHandoff.on() : HintedHandoff.off(),
                repair(given),
                snapshotBytes(given));
    }

    private static OptionalLong snapshotBytes(SettingsReader given) throws ConfigException {
        return given.has(Setting.SNAPSHOT_MIB)
                ? OptionalLong.of((long) given.number(Setting.SNAPSHOT_MIB, 0, MOST_SNAPSHOT_MIB) << 20)
                : OptionalLong.empty();
    }

    private static Repair repair(SettingsReader given) throws ConfigException {
        int rate = given.number(Setting.REPAIR_RATE, LEAST_REPAIR_KIB, MOST_REPAIR_KIB);
        if (!given.onOff(Setting.REPAIR)) {
            given.refuse(Setting.REPAIR_INTERVAL, "with " + Setting.REPAIR.option() + " off");
            return Repair.off().withBytesPerSecond((long) rate << 10);
        }
        return Repair.on()
                .withBytesPerSecond((long) rate << 10)
                .withInterval(Duration.ofSeconds(given.number(Setting.REPAIR_INTERVAL, 1, LONGEST_INTERVAL_SECONDS)));
    }

    private static Hedging hedging(String text) {
        if (text.equals("off")) {
            return Hedging.off();
        }
        try {
            return text.endsWith("%")
                    ? Hedging.atPercentile(Double.parseDouble(text.substring(0, text.length() - 1)))
                    : Hedging.after(Duration.ofMillis(Long.parseLong(text)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "expected off, 1 to " + LONGEST_MILLIS + " milliseconds, or 50% to 99.9%, not \"" + text + "\"", e);
        }
    }

    private static Batching batching(SettingsReader given) throws ConfigException {
        if (!given.onOff(Setting.BATCHING)) {
            given.refuse(Setting.BATCH_FRAMES, "with " + Setting.BATCHING.option() + " off");
            return Batching.off();
        }
        Batching usual = Batching.on();
        int frames = given.number(Setting.BATCH_FRAMES, 1, MOST_FRAMES);
        return new Batching(true, usual.maxEntries(), usual.maxBytes(), frames);
    }
}
