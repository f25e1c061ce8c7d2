/** The agreement of a cluster about its topology, by Raft. */
module io.dht4j.topology.microraft {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires io.dht4j.store;
    requires microraft;
    requires org.slf4j;

    exports io.dht4j.topology.microraft;
}
