/** The standalone server: its settings, and a node that they configure. */
@NullMarked
package io.dht4j.server;

import org.jspecify.annotations.NullMarked;
