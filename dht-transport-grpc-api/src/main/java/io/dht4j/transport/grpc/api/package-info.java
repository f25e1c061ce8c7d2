/** The public API over gRPC, and the client for processes without a store. */
@NullMarked
package io.dht4j.transport.grpc.api;

import org.jspecify.annotations.NullMarked;
