/** What transports and public APIs share: certificates and tokens. */
module io.dht4j.transport.common {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires java.naming;

    exports io.dht4j.security;
}
