/** Purge watermarks: which entries of a partition are too old to come, and which tombstones may go. */
@NullMarked
package io.dht4j.core.internal.repair.purge;

import org.jspecify.annotations.NullMarked;
