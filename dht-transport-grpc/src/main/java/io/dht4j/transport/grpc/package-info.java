/** Peer transport and public API over gRPC. Empty so far. */
@NullMarked
package io.dht4j.transport.grpc;

import org.jspecify.annotations.NullMarked;
