/** Stores: in memory, and durable on MVStore with a log. */
module io.dht4j.store {
    requires transitive io.dht4j.api;
    requires static transitive org.jspecify;
    requires com.github.benmanes.caffeine;
    requires com.h2database.mvstore;
    requires org.slf4j;

    exports io.dht4j.store.hints;
    exports io.dht4j.store.memory;
    exports io.dht4j.store.mvstore;
}
