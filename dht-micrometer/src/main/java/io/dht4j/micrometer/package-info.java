/** Metrics of a node, or of a remote cluster, in a registry of Micrometer. */
@NullMarked
package io.dht4j.micrometer;

import org.jspecify.annotations.NullMarked;
