/** The health of a {@link io.dht4j.Cluster} for the actuators of Spring Boot 3.5 and 4. */
@NullMarked
package io.dht4j.spring.boot.health;

import org.jspecify.annotations.NullMarked;
