/** The server of the public API: its port, the methods and their calls, admission, health and reflection. */
@NullMarked
package io.dht4j.transport.grpc.api.internal.server;

import org.jspecify.annotations.NullMarked;
