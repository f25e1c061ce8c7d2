/** The sketch that finds the hot keys of a node, of Apache DataSketches. */
module io.dht4j.datasketches {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires datasketches.java;

    exports io.dht4j.datasketches;
}
