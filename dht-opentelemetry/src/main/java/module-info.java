/** Spans of a node and of remote clusters, by the API of OpenTelemetry. */
module io.dht4j.opentelemetry {
    requires static transitive org.jspecify;
    requires transitive io.dht4j.api;
    requires transitive io.opentelemetry.api;
    requires io.opentelemetry.context;

    exports io.dht4j.opentelemetry;
}
