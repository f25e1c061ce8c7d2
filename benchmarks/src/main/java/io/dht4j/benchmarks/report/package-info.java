/** What a scenario gave, and the files that show it. */
@NullMarked
package io.dht4j.benchmarks.report;

import org.jspecify.annotations.NullMarked;
