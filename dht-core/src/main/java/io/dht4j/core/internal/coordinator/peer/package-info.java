/** The client of replicas: batches, frames, replies, hedging, and observations about the senders of replies. */
@NullMarked
package io.dht4j.core.internal.coordinator.peer;

import org.jspecify.annotations.NullMarked;
