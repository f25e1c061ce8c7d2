/** The topology log on MicroRaft: Raft in one lane of the environment, with a log of its own on the disk. */
@NullMarked
package io.dht4j.topology.microraft;

import org.jspecify.annotations.NullMarked;
