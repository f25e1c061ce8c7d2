/** The replica: serves the requests of peers from the local store. */
@NullMarked
package io.dht4j.core.internal.replica;

import org.jspecify.annotations.NullMarked;
