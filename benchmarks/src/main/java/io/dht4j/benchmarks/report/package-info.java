/** The results of a scenario, and the files of a report. */
@NullMarked
package io.dht4j.benchmarks.report;

import org.jspecify.annotations.NullMarked;
