/** The sketch that finds the hot keys of a node. */
@NullMarked
package io.dht4j.datasketches;

import org.jspecify.annotations.NullMarked;
