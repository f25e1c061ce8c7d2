/** Spring's cache abstraction over a {@link io.dht4j.Cluster}. */
@NullMarked
package io.dht4j.spring.cache;

import org.jspecify.annotations.NullMarked;
