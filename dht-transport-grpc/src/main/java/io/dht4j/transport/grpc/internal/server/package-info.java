/** The peer endpoint: its port, the streams and unary calls on it, and their admission. */
@NullMarked
package io.dht4j.transport.grpc.internal.server;

import org.jspecify.annotations.NullMarked;
