/** TLS between nodes, and the identities of callers. */
@NullMarked
package io.dht4j.transport.grpc.internal.tls;

import org.jspecify.annotations.NullMarked;
