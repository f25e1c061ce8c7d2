/** The errors and names that both ends of the public API share. */
@NullMarked
package io.dht4j.transport.grpc.api.internal.common;

import org.jspecify.annotations.NullMarked;
