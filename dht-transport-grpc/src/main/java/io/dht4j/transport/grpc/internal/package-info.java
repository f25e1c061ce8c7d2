/** The check of gRPC's version. The packages below hold the parts of the transport, each with its idea. */
@NullMarked
package io.dht4j.transport.grpc.internal;

import org.jspecify.annotations.NullMarked;
