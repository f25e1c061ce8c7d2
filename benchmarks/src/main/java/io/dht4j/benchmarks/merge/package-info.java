/** What several answers cost to merge. */
@NullMarked
package io.dht4j.benchmarks.merge;

import org.jspecify.annotations.NullMarked;
