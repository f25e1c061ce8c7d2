/** The speed and size of stores. */
@NullMarked
package io.dht4j.benchmarks.store;

import org.jspecify.annotations.NullMarked;
