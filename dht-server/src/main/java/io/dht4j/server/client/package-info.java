/** A client of the public HTTP API, and the file formats of load and dump. */
@NullMarked
package io.dht4j.server.client;

import org.jspecify.annotations.NullMarked;
