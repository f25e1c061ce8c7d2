/** The peer transport over TCP. */
@NullMarked
package io.dht4j.transport.tcp;

import org.jspecify.annotations.NullMarked;
