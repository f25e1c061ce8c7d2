/** Copies the pages of partitions from another node, for refills and moves. */
@NullMarked
package io.dht4j.core.internal.copy;

import org.jspecify.annotations.NullMarked;
