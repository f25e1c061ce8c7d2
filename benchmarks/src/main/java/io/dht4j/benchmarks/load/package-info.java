/** Loads: their description, their results, and what they call. */
@NullMarked
package io.dht4j.benchmarks.load;

import org.jspecify.annotations.NullMarked;
