/** A durable log of what other nodes missed. */
@NullMarked
package io.dht4j.store.hints;

import org.jspecify.annotations.NullMarked;
