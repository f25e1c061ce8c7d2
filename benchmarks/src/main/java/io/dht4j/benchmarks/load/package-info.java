/** The common parts of load runs. */
@NullMarked
package io.dht4j.benchmarks.load;

import org.jspecify.annotations.NullMarked;
