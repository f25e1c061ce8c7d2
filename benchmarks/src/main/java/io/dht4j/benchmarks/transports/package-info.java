/** The costs of transports: bare libraries, clusters over them, and another data grid, in one run. */
@NullMarked
package io.dht4j.benchmarks.transports;

import org.jspecify.annotations.NullMarked;
