/** The standalone server: its settings, and a node that runs by them. */
@NullMarked
package io.dht4j.examples.server;

import org.jspecify.annotations.NullMarked;
