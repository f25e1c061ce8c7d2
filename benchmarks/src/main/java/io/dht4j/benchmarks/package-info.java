/** JMH benchmarks of single parts, and load runs of stores and clusters. */
@NullMarked
package io.dht4j.benchmarks;

import org.jspecify.annotations.NullMarked;
