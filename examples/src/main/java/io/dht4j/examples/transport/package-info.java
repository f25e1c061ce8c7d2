/** A transport of one's own, as an example: plain TCP. */
@NullMarked
package io.dht4j.examples.transport;

import org.jspecify.annotations.NullMarked;
