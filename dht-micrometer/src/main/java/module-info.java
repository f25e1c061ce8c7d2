/** Metrics of a node in a registry of Micrometer. */
module io.dht4j.micrometer {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires transitive micrometer.core;

    exports io.dht4j.micrometer;
}
