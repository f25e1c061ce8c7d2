/** What placement and hashing cost, and how well they spread. */
@NullMarked
package io.dht4j.benchmarks.placement;

import org.jspecify.annotations.NullMarked;
