/**
 * The planner of moves, as pure functions: from the agreed state and the preferences of partitions, it computes the
 * batches that bring every member's load within bounds, empty leaving and dead members, and spread replicas over zones.
 * The same arguments give the same plan.
 */
@NullMarked
package io.dht4j.core.internal.membership.plan;

import org.jspecify.annotations.NullMarked;
