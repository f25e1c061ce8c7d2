/** Purge watermarks: which entries of a partition are refused as too old, and which tombstones are purged. */
@NullMarked
package io.dht4j.core.internal.repair.purge;

import org.jspecify.annotations.NullMarked;
