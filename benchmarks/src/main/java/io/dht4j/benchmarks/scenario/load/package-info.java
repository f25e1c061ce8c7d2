/** Loads on nodes of the run, or on a cluster that others started. */
@NullMarked
package io.dht4j.benchmarks.scenario.load;

import org.jspecify.annotations.NullMarked;
