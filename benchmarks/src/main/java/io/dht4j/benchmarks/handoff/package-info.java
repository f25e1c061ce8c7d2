/** The duration of hinted handoff. */
@NullMarked
package io.dht4j.benchmarks.handoff;

import org.jspecify.annotations.NullMarked;
