/** What the server and the clients of the public API have in common, and what the port needs of it. */
@NullMarked
package io.dht4j.transport.http.internal.common;

import org.jspecify.annotations.NullMarked;
