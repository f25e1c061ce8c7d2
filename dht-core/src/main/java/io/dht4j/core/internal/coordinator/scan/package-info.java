/** Scans of ranges, and the opening of snapshots. */
@NullMarked
package io.dht4j.core.internal.coordinator.scan;

import org.jspecify.annotations.NullMarked;
