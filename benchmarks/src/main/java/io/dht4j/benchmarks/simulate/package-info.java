/** The command {@code ./dht simulate}, which searches for broken guarantees. */
@NullMarked
package io.dht4j.benchmarks.simulate;

import org.jspecify.annotations.NullMarked;
