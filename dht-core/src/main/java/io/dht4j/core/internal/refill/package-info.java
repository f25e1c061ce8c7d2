/** Refill: fetches lost content from the other replicas before it is read. */
@NullMarked
package io.dht4j.core.internal.refill;

import org.jspecify.annotations.NullMarked;
