/** Nodes and load generators in processes of their own, and their commands. */
@NullMarked
package io.dht4j.benchmarks.process;

import org.jspecify.annotations.NullMarked;
