/** What a team measures its own transport, store, placement or hash function with. */
module io.dht4j.lab {
    requires transitive io.dht4j.api;
    requires static transitive org.jspecify;

    exports io.dht4j.lab;
    exports io.dht4j.lab.workload;
}
