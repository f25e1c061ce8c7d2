/** A store in memory. */
@NullMarked
package io.dht4j.store.memory;

import org.jspecify.annotations.NullMarked;
