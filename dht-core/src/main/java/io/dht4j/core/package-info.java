/** The builder of a cluster and its parts: {@link io.dht4j.core.Placements} and {@link io.dht4j.core.HashFunctions}. */
@NullMarked
package io.dht4j.core;

import org.jspecify.annotations.NullMarked;
