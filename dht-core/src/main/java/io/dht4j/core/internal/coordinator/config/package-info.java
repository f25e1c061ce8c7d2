/** The components and the options of a node. */
@NullMarked
package io.dht4j.core.internal.coordinator.config;

import org.jspecify.annotations.NullMarked;
