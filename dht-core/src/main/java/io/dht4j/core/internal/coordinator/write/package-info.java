/** Writes of keys: their versions, and the writes that replicas miss. */
@NullMarked
package io.dht4j.core.internal.coordinator.write;

import org.jspecify.annotations.NullMarked;
