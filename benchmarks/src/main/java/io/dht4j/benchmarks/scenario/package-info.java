/** The experiments, one class each. */
@NullMarked
package io.dht4j.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
