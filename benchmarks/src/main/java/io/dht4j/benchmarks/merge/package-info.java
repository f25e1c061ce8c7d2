/** The cost of merging answers. */
@NullMarked
package io.dht4j.benchmarks.merge;

import org.jspecify.annotations.NullMarked;
