/** The definition of a scenario, with its parameters, needs and the context of a run. */
@NullMarked
package io.dht4j.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
