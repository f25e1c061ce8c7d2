/** The common parts of scenarios on standalone servers: their parameters, the search for the stable load, and soaks. */
@NullMarked
package io.dht4j.benchmarks.scenario.server;

import org.jspecify.annotations.NullMarked;
