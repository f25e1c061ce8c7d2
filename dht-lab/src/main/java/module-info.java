/** Measures a team's own transport, store, placement or hash function. */
module io.dht4j.lab {
    requires transitive io.dht4j.api;
    requires static transitive org.jspecify;
    requires HdrHistogram;
    requires io.dht4j.core;
    requires io.dht4j.store;
    requires java.management;
    requires jdk.management;
    requires org.apache.commons.statistics.inference;

    exports io.dht4j.lab;
    exports io.dht4j.lab.compare;
    exports io.dht4j.lab.workload;
}
