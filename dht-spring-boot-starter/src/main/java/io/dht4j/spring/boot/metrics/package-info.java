/** The metrics of a {@link io.dht4j.Cluster} in the registry of Micrometer that an application has. */
@NullMarked
package io.dht4j.spring.boot.metrics;

import org.jspecify.annotations.NullMarked;
