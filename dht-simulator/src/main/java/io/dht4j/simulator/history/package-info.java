/**
 * What clients of a cluster did and learned, and checkers that read whether the cluster kept its promises: for clusters
 * in virtual time and for real ones. A {@link io.dht4j.simulator.history.History} takes
 * {@link io.dht4j.simulator.history.Operation}s, and a {@link io.dht4j.simulator.history.ReadCheck} judges those that
 * read.
 */
@NullMarked
package io.dht4j.simulator.history;

import org.jspecify.annotations.NullMarked;
