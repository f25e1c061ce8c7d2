/** The client of replicas: batches, frames, replies, hedging, and what replies show of their senders. */
@NullMarked
package io.dht4j.core.internal.coordinator.peer;

import org.jspecify.annotations.NullMarked;
