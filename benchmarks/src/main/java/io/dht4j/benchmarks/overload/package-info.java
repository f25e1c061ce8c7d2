/** How nodes hold up when more is asked of them than they can do. */
@NullMarked
package io.dht4j.benchmarks.overload;

import org.jspecify.annotations.NullMarked;
