/** Stores: in memory, and durable on MVStore with a log. */
// The module of the topology log is built after this one.
@SuppressWarnings("module")
module io.dht4j.store {
    requires transitive io.dht4j.api;
    requires static transitive org.jspecify;
    requires com.github.benmanes.caffeine;
    requires com.h2database.mvstore;
    requires jdk.jfr;
    requires org.slf4j;

    exports io.dht4j.store.disk to
            io.dht4j.topology.microraft;
    exports io.dht4j.store.hints;
    exports io.dht4j.store.log to
            io.dht4j.topology.microraft;
    exports io.dht4j.store.memory;
    exports io.dht4j.store.mvstore;
}
