/** Reads of keys, hedging, and read repair. */
@NullMarked
package io.dht4j.core.internal.coordinator.read;

import org.jspecify.annotations.NullMarked;
