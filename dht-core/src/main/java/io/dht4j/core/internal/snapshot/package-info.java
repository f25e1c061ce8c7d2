/** What a node keeps while a snapshot of the cluster is read: how its store was at the snapshot's version. */
@NullMarked
package io.dht4j.core.internal.snapshot;

import org.jspecify.annotations.NullMarked;
