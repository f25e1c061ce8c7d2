/** The common parts of transports and public APIs: options, admission, certificates and tokens. */
module io.dht4j.transport.common {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires java.management;
    requires java.naming;
    requires jdk.management;

    exports io.dht4j.security;
    exports io.dht4j.transport.common;
    exports io.dht4j.transport.common.calls;
    exports io.dht4j.transport.common.options;
}
