/** Brings back what a node lost from the other replicas, before it is read. */
@NullMarked
package io.dht4j.core.internal.refill;

import org.jspecify.annotations.NullMarked;
