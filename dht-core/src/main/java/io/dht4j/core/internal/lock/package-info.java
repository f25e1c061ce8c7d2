/** Locks of a cluster's callers, made of conditional writes. */
@NullMarked
package io.dht4j.core.internal.lock;

import org.jspecify.annotations.NullMarked;
