/** The client of the public API. */
@NullMarked
package io.dht4j.transport.grpc.api.internal.remote;

import org.jspecify.annotations.NullMarked;
