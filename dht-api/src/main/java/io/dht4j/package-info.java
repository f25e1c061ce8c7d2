/**
 * What an application uses: {@link io.dht4j.Cluster}, keys and values, replication policies, the topology, and errors
 * named by what the caller may do about them.
 */
@NullMarked
package io.dht4j;

import org.jspecify.annotations.NullMarked;
