/** What a run recorded: its measurements, and the file that keeps them. */
@NullMarked
package io.dht4j.benchmarks.results;

import org.jspecify.annotations.NullMarked;
