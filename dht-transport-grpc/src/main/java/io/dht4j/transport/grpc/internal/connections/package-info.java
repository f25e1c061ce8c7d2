/** The accepted connections and their limits, shared by the peer endpoint and the public API. */
@NullMarked
package io.dht4j.transport.grpc.internal.connections;

import org.jspecify.annotations.NullMarked;
