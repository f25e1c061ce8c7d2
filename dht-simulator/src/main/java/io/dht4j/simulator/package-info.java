/**
 * A search for violations of a cluster's guarantees: real nodes in virtual time, with seeded faults of network, disks
 * and clocks, and checks of the results. The entry point is {@link io.dht4j.simulator.Simulator}.
 */
@NullMarked
package io.dht4j.simulator;

import org.jspecify.annotations.NullMarked;
