/** The command line {@code ./dht bench}. */
@NullMarked
package io.dht4j.benchmarks.cli;

import org.jspecify.annotations.NullMarked;
