/** Calls to peers: the common parts of the HTTP clients of all libraries. */
@NullMarked
package io.dht4j.transport.http.internal.peer;

import org.jspecify.annotations.NullMarked;
