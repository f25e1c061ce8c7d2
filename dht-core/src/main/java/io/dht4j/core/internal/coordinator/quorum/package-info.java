/** Counts of the answers and failures of a key's replicas. Without I/O. */
@NullMarked
package io.dht4j.core.internal.coordinator.quorum;

import org.jspecify.annotations.NullMarked;
