/** The peer transport over gRPC. */
@NullMarked
package io.dht4j.transport.grpc;

import org.jspecify.annotations.NullMarked;
