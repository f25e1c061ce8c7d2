/** The protocol between peers: the methods, their metadata, and the records of a stream. */
@NullMarked
package io.dht4j.transport.grpc.internal.wire;

import org.jspecify.annotations.NullMarked;
