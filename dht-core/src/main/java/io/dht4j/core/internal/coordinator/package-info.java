/** The coordinator side: fans requests out to replicas, counts their answers and merges them. */
@NullMarked
package io.dht4j.core.internal.coordinator;

import org.jspecify.annotations.NullMarked;
