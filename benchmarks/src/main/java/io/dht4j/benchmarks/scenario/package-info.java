/** What a scenario is, and what it gets: parameters, needs and the lab. */
@NullMarked
package io.dht4j.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
