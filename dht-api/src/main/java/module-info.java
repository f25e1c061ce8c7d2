/** The API that applications call and the SPIs that transports, stores and placement strategies implement. */
module io.dht4j.api {
    requires static transitive org.jspecify;
    requires java.naming;

    exports io.dht4j;
    exports io.dht4j.security;
    exports io.dht4j.spi;
}
