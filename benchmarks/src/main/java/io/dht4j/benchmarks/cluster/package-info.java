/** Load runs of whole clusters. */
@NullMarked
package io.dht4j.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
