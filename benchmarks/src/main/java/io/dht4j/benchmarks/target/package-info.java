/** What loads are driven against: the public APIs, and clusters in this process. */
@NullMarked
package io.dht4j.benchmarks.target;

import org.jspecify.annotations.NullMarked;
