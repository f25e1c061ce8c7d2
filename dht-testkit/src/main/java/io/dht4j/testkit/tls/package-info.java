/** Certificates for tests of TLS. */
@NullMarked
package io.dht4j.testkit.tls;

import org.jspecify.annotations.NullMarked;
