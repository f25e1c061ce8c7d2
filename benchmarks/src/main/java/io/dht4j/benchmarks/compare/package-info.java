/** Whether two runs differ by more than chance. */
@NullMarked
package io.dht4j.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
