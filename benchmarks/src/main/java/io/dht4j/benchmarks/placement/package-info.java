/** The cost and the evenness of placement and hashing. */
@NullMarked
package io.dht4j.benchmarks.placement;

import org.jspecify.annotations.NullMarked;
