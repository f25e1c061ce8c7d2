/** The encoding of Raft's model, in messages and on the disk. */
@NullMarked
package io.dht4j.topology.microraft.internal.codec;

import org.jspecify.annotations.NullMarked;
