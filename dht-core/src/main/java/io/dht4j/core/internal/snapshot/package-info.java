/** Snapshots on a node: keeps the superseded entries that a snapshot of the cluster needs while it is read. */
@NullMarked
package io.dht4j.core.internal.snapshot;

import org.jspecify.annotations.NullMarked;
