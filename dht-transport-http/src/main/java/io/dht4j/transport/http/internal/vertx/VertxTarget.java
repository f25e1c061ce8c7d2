package io.dht4j.transport.http.internal.vertx;

import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.RequestOptions;
import java.util.function.Supplier;

/**
 * The common properties of all calls to one peer, created once.
 *
 * @param connect the options of connections, each without earlier TLS sessions
 * @param request the constant part of each request
 * @param http2 whether calls share a connection as streams
 * @param callsPerConnection how many calls a connection carries at a time
 * @param maxFrameBytes the largest reply
 */
record VertxTarget(
        Supplier<HttpConnectOptions> connect,
        RequestOptions request,
        boolean http2,
        int callsPerConnection,
        int maxFrameBytes) {}
