package io.dht4j.server.config;

import io.dht4j.CallOptions;
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

    static CallChoice of(SettingsReader given) throws ConfigException {
        return new CallChoice(
                given.choice(Setting.READS, ReadFanOut.class),
                given.read(Setting.HEDGE, CallChoice::hedging),
                Duration.ofMillis(given.number(Setting.TIMEOUT)),
                Duration.ofMillis(given.number(Setting.SLOW_CALLS)),
                given.choice(Setting.ORDERING, Ordering.class),
                Duration.ofMillis(given.number(Setting.START_PATIENCE)),
                given.number(Setting.MAX_VALUE_BYTES),
                batching(given),
                given.choice(Setting.CANCELLATION, CancellationPolicy.class),
                given.onOff(Setting.HANDOFF) ? HintedHandoff.on() : HintedHandoff.off(),
                repair(given),
                snapshotBytes(given));
    }

    private static OptionalLong snapshotBytes(SettingsReader given) throws ConfigException {
        return given.has(Setting.SNAPSHOT_MIB)
                ? OptionalLong.of((long) given.number(Setting.SNAPSHOT_MIB) << 20)
                : OptionalLong.empty();
    }

    private static Repair repair(SettingsReader given) throws ConfigException {
        int rate = given.number(Setting.REPAIR_RATE);
        if (!given.onOff(Setting.REPAIR)) {
            given.refuse(Setting.REPAIR_INTERVAL, "with " + Setting.REPAIR.option() + " off");
            return Repair.off().withBytesPerSecond((long) rate << 10);
        }
        return Repair.on()
                .withBytesPerSecond((long) rate << 10)
                .withInterval(Duration.ofSeconds(given.number(Setting.REPAIR_INTERVAL)));
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
                    "expected off, 1 to " + CallOptions.MAX_TIMEOUT.toMillis()
                            + " milliseconds, or 50% to 99.9%, not \"" + text + "\"",
                    e);
        }
    }

    private static Batching batching(SettingsReader given) throws ConfigException {
        if (!given.onOff(Setting.BATCHING)) {
            given.refuse(Setting.BATCH_FRAMES, "with " + Setting.BATCHING.option() + " off");
            return Batching.off();
        }
        Batching usual = Batching.on();
        int frames = given.number(Setting.BATCH_FRAMES);
        return new Batching(true, usual.maxEntries(), usual.maxBytes(), frames);
    }
}
