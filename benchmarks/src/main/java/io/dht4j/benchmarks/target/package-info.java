/** Targets of loads: the public APIs, and clusters in this process. */
@NullMarked
package io.dht4j.benchmarks.target;

import org.jspecify.annotations.NullMarked;
