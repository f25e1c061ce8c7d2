/** The nodes of a simulated cluster: their disks, which outlive them, and their processes. */
@NullMarked
package io.dht4j.simulator.internal.node;

import org.jspecify.annotations.NullMarked;
