/** TLS between nodes, and who calls. */
@NullMarked
package io.dht4j.transport.grpc.internal.tls;

import org.jspecify.annotations.NullMarked;
