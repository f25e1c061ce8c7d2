/** The page and the text of a report, drawn from the results. */
@NullMarked
package io.dht4j.benchmarks.report;

import org.jspecify.annotations.NullMarked;
