/** The parts that the transports and the public APIs share. Not for applications. */
@NullMarked
package io.dht4j.transport.common;

import org.jspecify.annotations.NullMarked;
