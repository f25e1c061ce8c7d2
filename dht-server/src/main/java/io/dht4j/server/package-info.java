/** The standalone server: its settings, and a node that runs by them. */
@NullMarked
package io.dht4j.server;

import org.jspecify.annotations.NullMarked;
