/**
 * The operations and results of a cluster's clients, and checks of the cluster's guarantees: for clusters in virtual
 * time and for real ones. A {@link io.dht4j.simulator.history.History} records
 * {@link io.dht4j.simulator.history.Operation}s, and a {@link io.dht4j.simulator.history.ReadCheck} checks reads.
 */
@NullMarked
package io.dht4j.simulator.history;

import org.jspecify.annotations.NullMarked;
