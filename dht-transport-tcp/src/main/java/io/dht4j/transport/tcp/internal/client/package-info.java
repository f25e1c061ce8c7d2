/** Calls to peers. */
@NullMarked
package io.dht4j.transport.tcp.internal.client;

import org.jspecify.annotations.NullMarked;
