/** How fast stores are, and how much room they take. */
@NullMarked
package io.dht4j.benchmarks.store;

import org.jspecify.annotations.NullMarked;
