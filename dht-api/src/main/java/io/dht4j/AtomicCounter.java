package io.dht4j;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A whole number whose operations are linearizable, at a key of an {@linkplain AtomicMap atomic map}. It begins at 0,
 * without being created; {@link AtomicMap#remove(Object)} removes it. Safe for use by any number of threads; stages
 * complete and fail as those of a map do. A result outside the range of {@code long} is refused with
 * {@link io.dht4j.ErrorCode#COUNTER_OVERFLOW}, and changes nothing.
 */
public final class AtomicCounter {

    private final Cluster cluster;
    private final String map;
    private final Key key;
    private final CallOptions options;

    /**
     * Creates a view of a counter. {@link Cluster#atomicCounter} is shorter.
     *
     * @param cluster executes the operations
     * @param map the name of the map, 1 to 255 bytes in UTF-8
     * @param key the key of the counter
     * @throws IllegalArgumentException if the name has another length, or an unpaired surrogate
     */
    public AtomicCounter(Cluster cluster, String map, Key key) {
        this(cluster, map, key, CallOptions.defaults());
    }

    private AtomicCounter(Cluster cluster, String map, Key key, CallOptions options) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.map = AtomicMap.requireName(map);
        this.key = Objects.requireNonNull(key, "key");
        this.options = Objects.requireNonNull(options, "options");
    }

    /**
     * Returns a view of the same counter with other options.
     *
     * @param options timeout, request id of the next operation and trace context; anything else fails the operations
     * @return a new view
     */
    public AtomicCounter with(CallOptions options) {
        return new AtomicCounter(cluster, map, key, options);
    }

    /**
     * Returns the same counter with methods that wait.
     *
     * @return a view with the same options
     */
    public Sync sync() {
        return new Sync(this);
    }

    /**
     * Reads the counter.
     *
     * @return a stage that completes with the number
     */
    public CompletionStage<Long> get() {
        return execute(AtomicChange.read(), this::number);
    }

    /**
     * Adds to the counter.
     *
     * @param delta what to add; negative to subtract
     * @return a stage that completes with the number afterwards
     */
    public CompletionStage<Long> add(long delta) {
        return execute(AtomicChange.add(delta), this::number);
    }

    /**
     * Sets the counter if it has a number.
     *
     * @param expected the number that it must have
     * @param number the new number
     * @return a stage that completes with whether it was set
     */
    public CompletionStage<Boolean> compareAndSet(long expected, long number) {
        return execute(AtomicChange.compareAndSet(expected, number), AtomicResult::isDone);
    }

    private long number(AtomicResult result) {
        return result.number()
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.ATOMIC_KIND, "key " + key + " of map " + map + " holds a value, not a counter"));
    }

    private <R> CompletionStage<R> execute(AtomicChange change, Function<AtomicResult, R> read) {
        return DhtException.unwrap(RepeatedOperation.of(cluster.execute(map, key, change, options), options)
                .thenApply(read));
    }

    @Override
    public String toString() {
        return "atomic counter " + key + " of map " + map;
    }

    /**
     * A counter whose methods wait for their results, and throw what their stages fail with, as those of
     * {@link AtomicMap.Sync} do.
     */
    public static final class Sync {

        private final AtomicCounter counter;

        private Sync(AtomicCounter counter) {
            this.counter = counter;
        }

        /** Reads the counter, as {@link AtomicCounter#get} does. */
        public long get() {
            return Waiting.await(() -> counter.get());
        }

        /** Adds to the counter, as {@link AtomicCounter#add} does. */
        public long add(long delta) {
            return Waiting.await(() -> counter.add(delta));
        }

        /** Sets the counter if it has a number, as {@link AtomicCounter#compareAndSet} does. */
        public boolean compareAndSet(long expected, long number) {
            return Waiting.await(() -> counter.compareAndSet(expected, number));
        }

        @Override
        public String toString() {
            return counter.toString();
        }
    }
}
