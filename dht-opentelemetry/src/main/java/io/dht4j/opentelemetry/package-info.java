/** Spans of a node and of remote clusters, by the API of OpenTelemetry. */
@NullMarked
package io.dht4j.opentelemetry;

import org.jspecify.annotations.NullMarked;
