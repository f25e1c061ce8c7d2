/**
 * The lab: experiments, load runs and JMH benchmarks.
 *
 * <p>Experiments: {@code cli} is {@code ./dht bench}; it runs the {@code scenarios}. {@code scenario} defines
 * scenarios. {@code scenario.server} has the common parts of scenarios on standalone servers, {@code scenario.load}
 * those of {@code load} and {@code sweep}.
 *
 * <p>Load: {@code io.dht4j.lab.internal.load} describes and generates loads. {@code load.client} has the clients that
 * they call, {@code load.closed} the closed loops whose variants alternate. {@code process} starts child processes:
 * {@code process.node} and {@code process.load} are nodes and load generators, {@code product} the members of other
 * products.
 *
 * <p>Figures: {@code stable} searches for the highest stable load and sweeps rates, {@code profile} takes and
 * attributes profiles. {@code results} keeps the records of a run, {@code report} draws them, and {@code compare}
 * judges two runs.
 *
 * <p>By subject, with JMH benchmarks and load runs that have a command line of their own: {@code cluster},
 * {@code transports}, {@code store}, {@code placement} and {@code merge}. {@code blocking} is the control of the
 * asynchronous coordinator, and {@code simulate} is {@code ./dht simulate}.
 */
@NullMarked
package io.dht4j.benchmarks;

import org.jspecify.annotations.NullMarked;
