/** The messages between nodes, and the headers of their frames. */
@NullMarked
package io.dht4j.core.internal.wire;

import org.jspecify.annotations.NullMarked;
