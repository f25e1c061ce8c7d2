/** The options that load commands share. */
@NullMarked
package io.dht4j.benchmarks.load;

import org.jspecify.annotations.NullMarked;
