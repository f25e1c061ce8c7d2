package io.dht4j.transport.http.internal.remote;

import io.dht4j.spi.TlsFiles;
import java.time.Duration;
import java.util.Optional;

/**
 * How a client of the public API connects to nodes.
 *
 * @param tls the trusted authorities and the own certificate; without it, connections are plaintext
 * @param token the token of every request
 * @param plaintextAllowed whether the token may be sent in plaintext beyond loopback
 * @param connectTimeout the time to connect
 * @param idleTimeout how long a connection may stay unused
 * @param perNode the most connections to a node
 */
public record HttpRemoteConnections(
        Optional<TlsFiles> tls,
        Optional<String> token,
        boolean plaintextAllowed,
        Duration connectTimeout,
        Duration idleTimeout,
        int perNode) {}
