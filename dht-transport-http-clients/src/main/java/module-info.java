/** Further HTTP clients of the peer transport. */
module io.dht4j.transport.http.clients {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.transport.http;
    requires io.vertx.core;
    requires io.vertx.web.client;
    requires io.vertx.web.common;
    requires java.net.http;
    requires one.nio;
    requires org.slf4j;

    exports io.dht4j.transport.http.clients;
}
