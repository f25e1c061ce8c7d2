package io.dht4j.core.internal.observation;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.HotKeys;
import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.spi.Entry;
import io.dht4j.spi.FrequencySketch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the requests of a replica by key during one window. A key belongs to one of four stripes, so that threads
 * rarely wait for one another and the bounds of a key are those of one sketch. Blocks only for the addition to a
 * sketch; safe for use by any number of threads. An error of a sketch fails the result, not the request.
 */
public final class HotKeyWindow {

    private static final Logger LOG = LoggerFactory.getLogger(HotKeyWindow.class);

    private static final int STRIPE_BITS = 2;
    /** The fraction of the golden ratio spreads hash codes that differ in few bits. */
    private static final int SPREAD = 0x9E3779B9;

    private final NodeId self;
    private final LongSupplier nanoTime;
    private final long begunNanos;
    private final List<Stripe> stripes = new ArrayList<>();
    private final CompletableFuture<HotKeys> result = new CompletableFuture<>();

    /** Counts by one kind of weight. */
    private static final class Tally {

        private final FrequencySketch sketch;
        private long total;

        private Tally(FrequencySketch sketch) {
            this.sketch = sketch;
        }

        private void add(Key key, long weight) {
            total += weight;
            sketch.add(key, weight);
        }
    }

    /** The counts of a part of the keys, guarded by this. */
    private static final class Stripe {

        private final Tally reads;
        private final Tally writes;
        private final Tally bytes;

        private Stripe(Supplier<FrequencySketch> sketches) {
            reads = new Tally(sketches.get());
            writes = new Tally(sketches.get());
            bytes = new Tally(sketches.get());
        }
    }

    HotKeyWindow(NodeId self, Supplier<FrequencySketch> sketches, LongSupplier nanoTime) {
        this.self = self;
        this.nanoTime = nanoTime;
        this.begunNanos = nanoTime.getAsLong();
        try {
            for (int i = 0; i < 1 << STRIPE_BITS; i++) {
                stripes.add(new Stripe(sketches));
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    /**
     * Adds a read.
     *
     * @param key its key
     * @param found the entry that was found
     */
    public void read(Key key, Optional<Entry> found) {
        add(
                key,
                stripe -> stripe.reads,
                found.map(entry -> entry.value().length).orElse(0));
    }

    /**
     * Adds a write.
     *
     * @param key its key
     * @param valueBytes the size of its value
     */
    public void wrote(Key key, int valueBytes) {
        add(key, stripe -> stripe.writes, valueBytes);
    }

    private void add(Key key, Function<Stripe, Tally> kind, int valueBytes) {
        if (result.isDone()) {
            return;
        }
        Stripe stripe = stripes.get((key.hashCode() * SPREAD) >>> (Integer.SIZE - STRIPE_BITS));
        try {
            synchronized (stripe) {
                kind.apply(stripe).add(key, 1);
                stripe.bytes.add(key, (long) key.length() + valueBytes);
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    /** Completes the result with the counts. */
    void end() {
        Duration counted = Duration.ofNanos(Math.max(0, nanoTime.getAsLong() - begunNanos));
        try {
            result.complete(new HotKeys(
                    self,
                    counted,
                    ranking(stripe -> stripe.reads),
                    ranking(stripe -> stripe.writes),
                    ranking(stripe -> stripe.bytes)));
        } catch (Throwable e) {
            failed(e);
        }
    }

    private HotKeys.Ranking ranking(Function<Stripe, Tally> kind) {
        long total = 0;
        Stream<HotKeys.Count> all = Stream.empty();
        for (Stripe stripe : stripes) {
            synchronized (stripe) {
                total += kind.apply(stripe).total;
                all = Stream.concat(all, List.copyOf(kind.apply(stripe).sketch.heaviest(HotKeys.MOST_KEYS)).stream());
            }
        }
        return new HotKeys.Ranking(total, all.toList()).first(HotKeys.MOST_KEYS);
    }

    private void failed(Throwable error) {
        if (fail(DhtException.of(ErrorCode.INTERNAL, "the sketch of hot keys failed: " + error))) {
            LOG.warn("hot keys are not counted, since their sketch failed", error);
        }
    }

    /** Completes the result with a failure; returns false if it is complete already. */
    boolean fail(DhtException failure) {
        return result.completeExceptionally(failure);
    }

    /** Returns the result, which is complete at the end or after a failure. */
    CompletableFuture<HotKeys> result() {
        return result;
    }
}
