/** A client of a cluster whose nodes run in other processes: {@link io.dht4j.client.RemoteCluster}. */
@NullMarked
package io.dht4j.client;

import org.jspecify.annotations.NullMarked;
