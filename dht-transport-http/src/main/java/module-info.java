/** The peer transport over HTTP and the public HTTP API, on Vert.x. */
// The module of further clients is built after this one.
@SuppressWarnings("module")
module io.dht4j.transport.http {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires transitive io.dht4j.transport.common;
    requires com.fasterxml.jackson.core;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.codec.http2;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires io.vertx.core;
    requires java.net.http;
    requires org.slf4j;

    exports io.dht4j.transport.http;
    exports io.dht4j.transport.http.internal.peer to
            io.dht4j.transport.http.clients;
}
