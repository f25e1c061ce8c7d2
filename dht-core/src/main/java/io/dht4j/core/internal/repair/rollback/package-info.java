/** Disks that were rolled back: how a node notices, and what it may not answer meanwhile. */
@NullMarked
package io.dht4j.core.internal.repair.rollback;

import org.jspecify.annotations.NullMarked;
