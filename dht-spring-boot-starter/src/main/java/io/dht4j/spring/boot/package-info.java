/** Auto-configuration of a {@link io.dht4j.Cluster} for Spring Boot 3.5 and 4. */
@NullMarked
package io.dht4j.spring.boot;

import org.jspecify.annotations.NullMarked;
