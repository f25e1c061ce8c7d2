/** Child processes of the lab, and the commands between parent and child. */
@NullMarked
package io.dht4j.benchmarks.process;

import org.jspecify.annotations.NullMarked;
