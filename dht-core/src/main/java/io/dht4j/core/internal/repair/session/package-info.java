/** Repair sessions: which partitions, with whom, and how entries are reconciled. */
@NullMarked
package io.dht4j.core.internal.repair.session;

import org.jspecify.annotations.NullMarked;
