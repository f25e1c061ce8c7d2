/** Calls to peers over Vert.x's HTTP client. */
@NullMarked
package io.dht4j.transport.http.internal.vertx;

import org.jspecify.annotations.NullMarked;
