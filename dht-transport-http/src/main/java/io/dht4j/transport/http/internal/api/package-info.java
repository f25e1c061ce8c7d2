/** The public API behind the port. */
@NullMarked
package io.dht4j.transport.http.internal.api;

import org.jspecify.annotations.NullMarked;
