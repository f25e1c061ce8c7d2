/** The peer transport over TCP, on the selectors of the JDK. */
module io.dht4j.transport.tcp {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires transitive io.dht4j.transport.common;
    requires org.slf4j;

    exports io.dht4j.transport.tcp;
}
