/** The peer transport over HTTP and the public HTTP API, on Vert.x. */
module io.dht4j.transport.http {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires com.fasterxml.jackson.core;
    requires io.vertx.core;
    requires java.net.http;
    requires org.slf4j;
    // Only for those who choose these clients.
    requires static io.vertx.web.client;
    requires static io.vertx.web.common;
    requires static one.nio;

    exports io.dht4j.transport.http;
}
