/** The peer transport over gRPC and the public gRPC API with its client, on gRPC-java. */
@NullMarked
package io.dht4j.transport.grpc;

import org.jspecify.annotations.NullMarked;
