/**
 * The agreed state of a cluster as immutable values, without I/O, threads and clocks. Every node applies the same
 * commands in the same order, and so holds the same {@link io.dht4j.core.internal.membership.state.ClusterState} at the
 * same {@link io.dht4j.core.internal.view.Epoch}.
 */
@NullMarked
package io.dht4j.core.internal.membership.state;

import org.jspecify.annotations.NullMarked;
