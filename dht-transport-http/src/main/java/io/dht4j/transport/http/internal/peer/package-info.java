/** Calls to peers: what every HTTP client has in common, whichever library it wraps. */
@NullMarked
package io.dht4j.transport.http.internal.peer;

import org.jspecify.annotations.NullMarked;
