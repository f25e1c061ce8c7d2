/** Further HTTP clients of the peer transport: {@code java.net.http}, one-nio and Vert.x's {@code WebClient}. */
@NullMarked
package io.dht4j.transport.http.clients;

import org.jspecify.annotations.NullMarked;
