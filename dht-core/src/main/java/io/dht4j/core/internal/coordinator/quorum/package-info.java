/** Counts of the answers and failures of a key's replicas. Nothing here does I/O. */
@NullMarked
package io.dht4j.core.internal.coordinator.quorum;

import org.jspecify.annotations.NullMarked;
