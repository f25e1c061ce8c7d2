/** Moves of slots, as the nodes that take them over and give them away carry them out. */
@NullMarked
package io.dht4j.core.internal.move;

import org.jspecify.annotations.NullMarked;
