/** A durable log of writes that other nodes missed. */
@NullMarked
package io.dht4j.store.hints;

import org.jspecify.annotations.NullMarked;
