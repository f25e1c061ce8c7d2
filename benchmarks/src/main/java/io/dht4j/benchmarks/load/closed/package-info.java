/** Closed loops: a fixed number of operations in flight. They measure the highest rate. */
@NullMarked
package io.dht4j.benchmarks.load.closed;

import org.jspecify.annotations.NullMarked;
