/** The check of gRPC's version. The parts of the transport are in the packages below. */
@NullMarked
package io.dht4j.transport.grpc.internal;

import org.jspecify.annotations.NullMarked;
