/** The clients that a load calls: the public APIs over the network, and clusters in this process. */
@NullMarked
package io.dht4j.benchmarks.load.client;

import org.jspecify.annotations.NullMarked;
