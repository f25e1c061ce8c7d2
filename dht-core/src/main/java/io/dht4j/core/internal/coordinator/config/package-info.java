/** What a node is made of and which numbers it runs by. */
@NullMarked
package io.dht4j.core.internal.coordinator.config;

import org.jspecify.annotations.NullMarked;
