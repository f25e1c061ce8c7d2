/** The contract of transports: over any network, over sockets, and with TLS. */
@NullMarked
package io.dht4j.testkit.transport;

import org.jspecify.annotations.NullMarked;
