/** Connections and their limits, shared by the peer endpoint and the public API, on Netty's own classes. */
@NullMarked
package io.dht4j.transport.grpc.internal;

import org.jspecify.annotations.NullMarked;
