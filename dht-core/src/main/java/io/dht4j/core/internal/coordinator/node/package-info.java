/** The node itself: the cluster that callers see, and what runs in it. */
@NullMarked
package io.dht4j.core.internal.coordinator.node;

import org.jspecify.annotations.NullMarked;
