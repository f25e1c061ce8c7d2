/** The calls to peers: lanes of streams, gRPC calls of their own, their channels and budgets. */
@NullMarked
package io.dht4j.transport.grpc.internal.client;

import org.jspecify.annotations.NullMarked;
