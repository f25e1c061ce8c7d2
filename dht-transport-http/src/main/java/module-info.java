/** The peer transport over HTTP and the public HTTP API, on Vert.x. */
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
    // Only for users of these clients.
    requires static io.vertx.web.client;
    requires static io.vertx.web.common;
    requires static one.nio;

    exports io.dht4j.transport.http;
}
