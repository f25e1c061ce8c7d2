/** The binary frames between nodes: messages, and the codec that checks every length. */
@NullMarked
package io.dht4j.core.internal.wire;

import org.jspecify.annotations.NullMarked;
