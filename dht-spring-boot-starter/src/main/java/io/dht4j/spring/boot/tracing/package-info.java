/** Spans of a {@link io.dht4j.Cluster} in the OpenTelemetry that an application has. */
@NullMarked
package io.dht4j.spring.boot.tracing;

import org.jspecify.annotations.NullMarked;
