package io.dht4j.core.options;

import io.dht4j.CancellationPolicy;
import io.dht4j.Hedging;
import io.dht4j.Ordering;
import io.dht4j.Ranges;
import io.dht4j.ReadFanOut;
import io.dht4j.spi.MemoryBudget;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The options of a node for its calls, its limits and its timeouts. {@code ClusterBuilder} adds the parts of a node and
 * the placement of keys. Each option is declared, checked and documented here, and the core reads its group. Each
 * method checks its argument and throws {@link IllegalArgumentException} with the allowed range. Confined to one
 * thread. The groups themselves are immutable.
 *
 * @param <B> the builder, which each method returns
 */
public abstract class NodeOptions<B extends NodeOptions<B>> extends ObservationOptions<B> {

    private static final int LARGEST_VALUE = 1 << 30;
    private static final long LARGEST_MEMORY = 1L << 40;

    private Calls calls = new Calls(
            Ordering.REAL_TIME, ReadFanOut.ENOUGH, Hedging.off(), CancellationPolicy.LOCAL, Duration.ofSeconds(5));
    private Limits limits =
            new Limits(MemoryBudget.ofHeap(), 4096, 10_000, OptionalLong.empty(), 10_000, OptionalLong.empty());
    private Times times = new Times(Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ofSeconds(5));

    /**
     * How calls run unless they say otherwise.
     *
     * @param ordering of calls without one
     * @param readFanOut the number of replicas that a read asks
     * @param hedging when a read that waits asks one more replica
     * @param cancellation the handling of requests whose replies are no longer needed
     * @param timeout of calls without one
     */
    public record Calls(
            Ordering ordering,
            ReadFanOut readFanOut,
            Hedging hedging,
            CancellationPolicy cancellation,
            Duration timeout) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public Calls {
            Objects.requireNonNull(ordering, "ordering");
            Objects.requireNonNull(readFanOut, "readFanOut");
            Objects.requireNonNull(hedging, "hedging");
            Objects.requireNonNull(cancellation, "cancellation");
            Ranges.require("timeout", timeout, Duration.ofMillis(1), Duration.ofHours(1));
        }
    }

    /**
     * How much a node holds at a time.
     *
     * @param memory the memory budget, with the largest value
     * @param inlineValueBytes the largest value that every replica includes in its answer
     * @param maxInFlight the number of calls in flight
     * @param maxInFlightBytes the bytes of writes in flight, if not the budget's
     * @param maxBatch the number of keys in a batch
     * @param maxSnapshotBytes the memory of open snapshots, if not the budget's
     */
    public record Limits(
            MemoryBudget memory,
            int inlineValueBytes,
            int maxInFlight,
            OptionalLong maxInFlightBytes,
            int maxBatch,
            OptionalLong maxSnapshotBytes) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public Limits {
            Ranges.require("inlineValueBytes", inlineValueBytes, 0, LARGEST_VALUE);
            Ranges.require("maxInFlight", maxInFlight, 1, 1_000_000);
            maxInFlightBytes.ifPresent(bytes -> Ranges.require("maxInFlightBytes", bytes, 1, LARGEST_MEMORY));
            Ranges.require("maxBatch", maxBatch, 1, 1_000_000);
            maxSnapshotBytes.ifPresent(bytes -> Ranges.require("snapshotBytes", bytes, 0, LARGEST_MEMORY));
        }

        /**
         * Returns the largest value.
         *
         * @return bytes
         */
        public int maxValueBytes() {
            return memory.maxValueBytes();
        }

        /**
         * Returns the limit of the bytes of writes in flight.
         *
         * @return bytes
         */
        public long writeBytes() {
            return maxInFlightBytes.orElse(memory.writeBytes());
        }

        /**
         * Returns the memory limit of open snapshots.
         *
         * @return bytes
         */
        public long snapshotBytes() {
            return maxSnapshotBytes.orElse(memory.snapshotBytes());
        }
    }

    /**
     * How far clocks may differ, and how long a node waits for others.
     *
     * @param maxClockSkew how far another node's version may be ahead of this node's clock
     * @param drainTimeout how long closing waits for running calls
     * @param startPatience how long the start waits for other nodes
     */
    public record Times(Duration maxClockSkew, Duration drainTimeout, Duration startPatience) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public Times {
            Ranges.require("maxClockSkew", maxClockSkew, Duration.ofMillis(1), Duration.ofDays(1));
            Ranges.require("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofHours(1));
            Ranges.require("startPatience", startPatience, Duration.ZERO, Duration.ofMinutes(10));
        }
    }

    /** Creates the defaults. */
    protected NodeOptions() {}

    /**
     * Sets the ordering of calls without one. Default: {@link Ordering#REAL_TIME}. With {@link Ordering#LINEARIZABLE},
     * calls need policies that overlap with themselves.
     *
     * @param ordering real-time or linearizable
     * @return this builder
     */
    public B ordering(Ordering ordering) {
        calls = new Calls(ordering, calls.readFanOut, calls.hedging, calls.cancellation, calls.timeout);
        return self();
    }

    /**
     * Sets the number of replicas that a read asks. Default: {@link ReadFanOut#ENOUGH}.
     *
     * @param readFanOut enough or all
     * @return this builder
     */
    public B readFanOut(ReadFanOut readFanOut) {
        calls = new Calls(calls.ordering, readFanOut, calls.hedging, calls.cancellation, calls.timeout);
        return self();
    }

    /**
     * Sets when a read that waits for an answer asks one more replica. Default: {@link Hedging#off()}.
     *
     * @param hedging off, after a fixed time, or after a percentile of the response times
     * @return this builder
     */
    public B hedging(Hedging hedging) {
        calls = new Calls(calls.ordering, calls.readFanOut, hedging, calls.cancellation, calls.timeout);
        return self();
    }

    /**
     * Sets the cancellation of requests to replicas whose replies to a read are no longer needed: enough others have
     * answered, or the caller has cancelled its stage. Writes are never cancelled. Default:
     * {@link CancellationPolicy#LOCAL}.
     *
     * @param cancellation never, local, or propagated to the replica
     * @return this builder
     */
    public B cancellation(CancellationPolicy cancellation) {
        calls = new Calls(calls.ordering, calls.readFanOut, calls.hedging, cancellation, calls.timeout);
        return self();
    }

    /**
     * Sets the timeout of calls without one. Default: 5 seconds, enough for a pause of a node's garbage collector or
     * disk, and for the largest values.
     *
     * @param timeout 1 millisecond to 1 hour
     * @return this builder
     */
    public B timeout(Duration timeout) {
        calls = new Calls(calls.ordering, calls.readFanOut, calls.hedging, calls.cancellation, timeout);
        return self();
    }

    /**
     * Sets the memory budget of this node; its store, its transport and its APIs should use the same. Default:
     * {@link MemoryBudget#ofHeap()}. The {@linkplain #maxValueBytes largest value} of this builder overrides that of
     * the budget.
     *
     * @param memory a share of the heap
     * @return this builder
     */
    public B memory(MemoryBudget memory) {
        Objects.requireNonNull(memory, "memory");
        return limits(memory.withMaxValueBytes(limits.maxValueBytes()), limits.inlineValueBytes, limits.maxInFlight);
    }

    /**
     * Sets the largest value; the same on every node. Default: 16 MiB. The transport's largest frame must be larger by
     * at least 256 KiB.
     *
     * @param maxValueBytes 1 byte to 1 GiB
     * @return this builder
     */
    public B maxValueBytes(int maxValueBytes) {
        return limits(limits.memory.withMaxValueBytes(maxValueBytes), limits.inlineValueBytes, limits.maxInFlight);
    }

    /**
     * Sets the largest value that every replica includes in its answer to a read. Of larger values only the first
     * replica sends the value; the others send its version. Default: 4096. A higher limit saves a second request when
     * replicas differ; a lower one saves bytes when they agree.
     *
     * @param inlineValueBytes 0 bytes to 1 GiB
     * @return this builder
     */
    public B inlineValueBytes(int inlineValueBytes) {
        return limits(limits.memory, inlineValueBytes, limits.maxInFlight);
    }

    /**
     * Sets how many calls may be in flight at this node; further calls are refused as overloaded. The same number of
     * peers' requests may wait for the store. Default: 10,000.
     *
     * @param maxInFlight 1 to 1,000,000
     * @return this builder
     */
    public B maxInFlight(int maxInFlight) {
        return limits(limits.memory, limits.inlineValueBytes, maxInFlight);
    }

    private B limits(MemoryBudget memory, int inlineValueBytes, int maxInFlight) {
        limits = new Limits(
                memory,
                inlineValueBytes,
                maxInFlight,
                limits.maxInFlightBytes,
                limits.maxBatch,
                limits.maxSnapshotBytes);
        return self();
    }

    /**
     * Sets how many bytes of writes may be in flight at this node; further writes are refused as overloaded. The same
     * number of bytes of peers' writes may wait for the store. Default: {@link MemoryBudget#writeBytes()}. A single
     * write of any size is accepted when no other is in flight.
     *
     * @param maxInFlightBytes 1 byte to 1 TiB
     * @return this builder
     */
    public B maxInFlightBytes(long maxInFlightBytes) {
        return limits(OptionalLong.of(maxInFlightBytes), limits.maxBatch, limits.maxSnapshotBytes);
    }

    /**
     * Sets the largest number of keys in a batch. Default: 10,000.
     *
     * @param maxBatch 1 to 1,000,000
     * @return this builder
     */
    public B maxBatch(int maxBatch) {
        return limits(limits.maxInFlightBytes, maxBatch, limits.maxSnapshotBytes);
    }

    /**
     * Sets the memory limit for entries that this node keeps for open snapshots. Beyond the limit the snapshot fails
     * and the node continues. Default: {@link MemoryBudget#snapshotBytes()}; no memory is used without a snapshot.
     *
     * @param snapshotBytes 0 bytes to 1 TiB, for all snapshots together
     * @return this builder
     */
    public B snapshotBytes(long snapshotBytes) {
        return limits(limits.maxInFlightBytes, limits.maxBatch, OptionalLong.of(snapshotBytes));
    }

    private B limits(OptionalLong maxInFlightBytes, int maxBatch, OptionalLong maxSnapshotBytes) {
        limits = new Limits(
                limits.memory,
                limits.inlineValueBytes,
                limits.maxInFlight,
                maxInFlightBytes,
                maxBatch,
                maxSnapshotBytes);
        return self();
    }

    /**
     * Sets how far a version of another node may be ahead of this node's clock; writes further ahead are refused.
     * Default: 60 seconds.
     *
     * @param maxClockSkew 1 millisecond to 1 day
     * @return this builder
     */
    public B maxClockSkew(Duration maxClockSkew) {
        times = new Times(maxClockSkew, times.drainTimeout, times.startPatience);
        return self();
    }

    /**
     * Sets how long closing waits for running calls. Default: 5 seconds.
     *
     * @param drainTimeout zero to 1 hour
     * @return this builder
     */
    public B drainTimeout(Duration drainTimeout) {
        times = new Times(times.maxClockSkew, drainTimeout, times.startPatience);
        return self();
    }

    /**
     * Sets how long this node waits at its start for others to confirm its clock and its disk. Writes wait until one of
     * them has answered. Reads of entries from before the start wait until the nodes that share them have answered.
     * Nodes that refuse connections are skipped. Default: 5 seconds.
     *
     * @param startPatience zero, which waits for no node, to 10 minutes
     * @return this builder
     */
    public B startPatience(Duration startPatience) {
        times = new Times(times.maxClockSkew, times.drainTimeout, startPatience);
        return self();
    }

    /**
     * Returns how calls run.
     *
     * @return the present values
     */
    protected final Calls calls() {
        return calls;
    }

    /**
     * Returns how much the node holds.
     *
     * @return the present values
     */
    protected final Limits limits() {
        return limits;
    }

    /**
     * Returns how far clocks may differ, and how long the node waits.
     *
     * @return the present values
     */
    protected final Times times() {
        return times;
    }
}
