/** The port: its connections, and the endpoint that peers call. */
@NullMarked
package io.dht4j.transport.http.internal.server;

import org.jspecify.annotations.NullMarked;
