/** The API that applications call and the SPIs that transports, stores and placement strategies implement. */
module io.dht4j.api {
    requires static transitive org.jspecify;

    exports io.dht4j;
    exports io.dht4j.spi;
}
