/** Moves of slots, at the nodes that take them over and give them away. */
@NullMarked
package io.dht4j.core.internal.move;

import org.jspecify.annotations.NullMarked;
