/**
 * What clients of a cluster did and learned, and checkers that read whether the cluster kept its promises: for clusters in virtual time and for
 * real ones. A {@link io.dht4j.testkit.history.History} takes {@link io.dht4j.testkit.history.Operation}s, and a
 * {@link io.dht4j.testkit.history.ReadCheck} judges those that read.
 */
@NullMarked
package io.dht4j.testkit.history;

import org.jspecify.annotations.NullMarked;
