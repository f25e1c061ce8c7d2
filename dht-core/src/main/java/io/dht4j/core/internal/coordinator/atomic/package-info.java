/** Changes and reads registers: proposers, their rounds, and the calls of a node that use them. */
@NullMarked
package io.dht4j.core.internal.coordinator.atomic;

import org.jspecify.annotations.NullMarked;
