/** The metrics of a server, for Prometheus. */
@NullMarked
package io.dht4j.server.metrics;

import org.jspecify.annotations.NullMarked;
