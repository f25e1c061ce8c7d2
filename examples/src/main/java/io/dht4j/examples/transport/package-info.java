/** An example of a transport: plain TCP. */
@NullMarked
package io.dht4j.examples.transport;

import org.jspecify.annotations.NullMarked;
