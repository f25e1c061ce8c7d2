/** Nodes and load in processes of their own, and how they are told what to do. */
@NullMarked
package io.dht4j.benchmarks.process;

import org.jspecify.annotations.NullMarked;
