/**
 * The API of applications: {@link io.dht4j.Cluster}, keys and values, replication policies, the topology, and errors
 * classified by the action that they allow the caller.
 */
@NullMarked
package io.dht4j;

import org.jspecify.annotations.NullMarked;
