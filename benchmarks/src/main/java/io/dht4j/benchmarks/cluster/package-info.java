/** Load runs of whole clusters, each with a command line of its own. */
@NullMarked
package io.dht4j.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
