/** The contract of placements. */
@NullMarked
package io.dht4j.testkit.placement;

import org.jspecify.annotations.NullMarked;
