/**
 * What the server of peers and the public API share: connections and their limits, on the wrapped server's own classes.
 */
@NullMarked
package io.dht4j.transport.grpc.internal;

import org.jspecify.annotations.NullMarked;
