/** The contract of transports with TLS, and certificates for tests. */
@NullMarked
package io.dht4j.testkit.tls;

import org.jspecify.annotations.NullMarked;
