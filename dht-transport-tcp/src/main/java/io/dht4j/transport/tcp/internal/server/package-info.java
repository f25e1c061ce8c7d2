/** Requests of peers. */
@NullMarked
package io.dht4j.transport.tcp.internal.server;

import org.jspecify.annotations.NullMarked;
