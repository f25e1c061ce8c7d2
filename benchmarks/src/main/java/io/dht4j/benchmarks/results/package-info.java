/** The records of a run: its measurements, and their file. */
@NullMarked
package io.dht4j.benchmarks.results;

import org.jspecify.annotations.NullMarked;
