/** Raft's persistent state: a log with snapshots, in one file at a time. */
@NullMarked
package io.dht4j.topology.microraft.internal.log;

import org.jspecify.annotations.NullMarked;
