/** The cluster: its builder, placement strategies and hash functions. */
module io.dht4j.core {
    requires transitive io.dht4j.api;
    requires com.dynatrace.hash4j;
    requires jdk.jfr;
    requires org.slf4j;
    requires static org.jspecify;

    exports io.dht4j.client;
    exports io.dht4j.core;
    exports io.dht4j.core.options;
}
