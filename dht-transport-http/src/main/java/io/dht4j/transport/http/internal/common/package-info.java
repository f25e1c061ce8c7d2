/** The common parts of the server and the clients of the public API, and of the port. */
@NullMarked
package io.dht4j.transport.http.internal.common;

import org.jspecify.annotations.NullMarked;
