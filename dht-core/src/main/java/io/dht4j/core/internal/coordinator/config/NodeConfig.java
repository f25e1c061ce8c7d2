package io.dht4j.core.internal.coordinator.config;

import io.dht4j.CancellationPolicy;
import io.dht4j.Hedging;
import io.dht4j.Ordering;
import io.dht4j.ReadFanOut;
import io.dht4j.core.internal.admission.OverloadLimits;
import io.dht4j.core.internal.handoff.HandoffLimits;
import io.dht4j.core.internal.refill.RefillLimits;
import io.dht4j.core.internal.repair.RepairLimits;
import java.time.Duration;

/**
 * The numbers that a node runs by; the builder has checked them.
 *
 * @param replicationFactor how many replicas a key has by default
 * @param ordering in which order operations on a key take effect by default
 * @param readFanOut how many replicas a read asks
 * @param hedging when a read that waits asks one more replica
 * @param timeout how long a call may take by default
 * @param maxValueBytes the largest value
 * @param inlineValueBytes values up to this size come with every replica's answer
 * @param maxInFlight how many calls may be under way
 * @param maxInFlightBytes how many bytes of writes may be under way
 * @param maxReadBytes how many bytes of values that were read may be held
 * @param storeReads how many reads may be in the middle of reading the store's files
 * @param maintenanceReads how many calls of repair and refill may be in the middle of that besides
 * @param maxBatch how many keys a batch may have
 * @param drainTimeout how long closing waits for calls under way
 * @param startPatience how long a node that starts waits for the others
 * @param batching how requests to a node are put together
 * @param cancellation what becomes of requests whose replies are no longer wanted
 * @param snapshotBytes how much may be kept for snapshots that are being read
 * @param handoff what becomes of writes that replicas missed
 * @param repair how replicas are compared in the background
 * @param overload how it keeps working when more is asked of it than it can do
 * @param refill how this node gets back what it lost
 */
public record NodeConfig(
        int replicationFactor,
        Ordering ordering,
        ReadFanOut readFanOut,
        Hedging hedging,
        Duration timeout,
        int maxValueBytes,
        int inlineValueBytes,
        int maxInFlight,
        long maxInFlightBytes,
        long maxReadBytes,
        int storeReads,
        int maintenanceReads,
        int maxBatch,
        Duration drainTimeout,
        Duration startPatience,
        BatchLimits batching,
        CancellationPolicy cancellation,
        long snapshotBytes,
        HandoffLimits handoff,
        RepairLimits repair,
        OverloadLimits overload,
        RefillLimits refill) {}
