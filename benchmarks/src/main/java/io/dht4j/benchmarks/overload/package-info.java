/** Nodes under more load than they can serve. */
@NullMarked
package io.dht4j.benchmarks.overload;

import org.jspecify.annotations.NullMarked;
