/** Nodes in this process, to be measured. */
@NullMarked
package io.dht4j.lab.internal.nodes;

import org.jspecify.annotations.NullMarked;
