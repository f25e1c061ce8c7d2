/** The client of the public API. */
@NullMarked
package io.dht4j.transport.http.internal.remote;

import org.jspecify.annotations.NullMarked;
