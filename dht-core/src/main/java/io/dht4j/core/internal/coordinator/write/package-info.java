/** Writes, the version that they take, and what replicas missed of them. */
@NullMarked
package io.dht4j.core.internal.coordinator.write;

import org.jspecify.annotations.NullMarked;
