/**
 * A search for what breaks a cluster's promises: real nodes in virtual time on a network, on disks and by clocks that
 * misbehave as a seed says, and checkers that read what happened. {@link io.dht4j.simulator.Simulator} is where to
 * begin.
 */
@NullMarked
package io.dht4j.simulator;

import org.jspecify.annotations.NullMarked;
