/** Requests to replicas: the client, its batches, and who is not who it should be. */
@NullMarked
package io.dht4j.core.internal.coordinator.peer;

import org.jspecify.annotations.NullMarked;
