/** Nodes in processes of their own. */
@NullMarked
package io.dht4j.benchmarks.process.node;

import org.jspecify.annotations.NullMarked;
