/** The search for the highest stable load. */
@NullMarked
package io.dht4j.benchmarks.stable;

import org.jspecify.annotations.NullMarked;
