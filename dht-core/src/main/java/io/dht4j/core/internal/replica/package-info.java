/** The replica side: serves peers' requests from the local store. */
@NullMarked
package io.dht4j.core.internal.replica;

import org.jspecify.annotations.NullMarked;
