/** A cluster that grows while a load runs. */
@NullMarked
package io.dht4j.benchmarks.scenario.growth;

import org.jspecify.annotations.NullMarked;
