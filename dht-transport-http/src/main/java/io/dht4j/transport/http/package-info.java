/** The peer transport over HTTP, {@code HttpTransport}, and the public HTTP API. */
@NullMarked
package io.dht4j.transport.http;

import org.jspecify.annotations.NullMarked;
