/** Repair sessions: choose partitions, compare replicas, and reconcile entries. */
@NullMarked
package io.dht4j.core.internal.repair.session;

import org.jspecify.annotations.NullMarked;
