/** The standalone server: a node with its public APIs. */
@NullMarked
package io.dht4j.server;

import org.jspecify.annotations.NullMarked;
