/** The peer transport over HTTP and the public HTTP API, on Vert.x. */
module io.dht4j.transport.http {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires com.fasterxml.jackson.core;
    requires io.vertx.core;
    requires org.slf4j;

    exports io.dht4j.transport.http;
}
