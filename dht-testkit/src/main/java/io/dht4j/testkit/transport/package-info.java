/** The contract of transports, over any network and over sockets. */
@NullMarked
package io.dht4j.testkit.transport;

import org.jspecify.annotations.NullMarked;
