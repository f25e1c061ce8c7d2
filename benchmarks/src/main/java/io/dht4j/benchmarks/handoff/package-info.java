/** How long it takes to hand a node what it missed. */
@NullMarked
package io.dht4j.benchmarks.handoff;

import org.jspecify.annotations.NullMarked;
