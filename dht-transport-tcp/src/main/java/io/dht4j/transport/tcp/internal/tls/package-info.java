/** TLS on connections. */
@NullMarked
package io.dht4j.transport.tcp.internal.tls;

import org.jspecify.annotations.NullMarked;
