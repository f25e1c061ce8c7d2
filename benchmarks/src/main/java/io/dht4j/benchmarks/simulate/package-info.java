/** The command {@code ./dht simulate}, which searches for what breaks a cluster's promises. */
@NullMarked
package io.dht4j.benchmarks.simulate;

import org.jspecify.annotations.NullMarked;
