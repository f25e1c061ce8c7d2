package io.dht4j.transport.common.options;

import io.dht4j.Ranges;
import io.dht4j.spi.TlsFiles;
import java.time.Duration;

/**
 * The options of everything that accepts connections. Immutable. Every {@code with} method returns a copy, and throws
 * an {@link IllegalArgumentException} that names option, value and allowed range.
 *
 * @param <T> the options of one listener
 */
public abstract class ListenerOptions<T extends ListenerOptions<T>> {

    private final Listener listener;

    /**
     * How connections are accepted and closed.
     *
     * @param connections how many are accepted
     * @param idleTimeout without traffic, after which they are closed
     * @param drainTimeout that closing gives to requests in flight
     * @param security encryption
     */
    public record Listener(
            ConnectionLimits connections, Duration idleTimeout, Duration drainTimeout, WireSecurity security) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public Listener {
            Ranges.require("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
            Ranges.require("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofMinutes(10));
        }

        /**
         * Returns the defaults: 10,000 connections, 60 seconds without traffic, plaintext on loopback.
         *
         * @param drainTimeout zero to 10 minutes
         * @return the defaults
         */
        public static Listener defaults(Duration drainTimeout) {
            return new Listener(
                    ConnectionLimits.defaults(), Duration.ofSeconds(60), drainTimeout, WireSecurity.onLoopback());
        }

        private Listener with(ConnectionLimits limits) {
            return new Listener(limits, idleTimeout, drainTimeout, security);
        }

        private Listener with(WireSecurity encryption) {
            return new Listener(connections, idleTimeout, drainTimeout, encryption);
        }
    }

    /**
     * Creates options.
     *
     * @param listener how connections are accepted and closed
     */
    protected ListenerOptions(Listener listener) {
        this.listener = listener;
    }

    /**
     * Returns a copy.
     *
     * @param changed how connections are accepted and closed
     * @return new options
     */
    protected abstract T with(Listener changed);

    /**
     * Returns a copy with TLS. Nodes authenticate each other: the called one must show a certificate with its name, and
     * the caller one with a name that {@link io.dht4j.spi.FrameHandler#mayCall} accepts; they need all three files, the
     * same kind on all nodes. Clients of a public API are not asked for certificates. A public API that shares the port
     * of a transport has the transport's TLS.
     *
     * @param files the certificate to show and its key, and the authorities of peers; read at the start, and again when
     *     they change
     * @return new options
     * @throws IllegalArgumentException if a file is missing
     */
    public T withTls(TlsFiles files) {
        return with(listener.with(listener.security.withTls(files)));
    }

    /**
     * Returns a copy that may send plaintext beyond loopback. A warning is logged at the start.
     *
     * @return new options
     */
    public T withPlaintextAllowed() {
        return with(listener.with(listener.security.withPlaintextAllowed()));
    }

    /**
     * Does the same as {@link #withPlaintextAllowed()}, for an application whose users set an option of its own.
     *
     * @param option the name of that option, for the warning
     * @return new options
     */
    public T withPlaintextAllowed(String option) {
        return with(listener.with(listener.security.withPlaintextAllowed(option)));
    }

    /**
     * Returns a copy with this bound on accepted connections. At the bound, connections over which no request has come
     * give way to new ones, or new ones are closed as soon as they are accepted. Over HTTP a quarter of the places is
     * kept for peers that share the port. A listener uses at most a quarter of the files that the process may open, and
     * warns at the start where that is far too low.
     *
     * @param connections 1 to 1,000,000; by default 10,000
     * @return new options
     */
    public T withMaxConnections(int connections) {
        return with(listener.with(listener.connections.withMax(connections)));
    }

    /**
     * Returns a copy with this bound on the accepted connections of one remote address. Over HTTP those of peers do not
     * count. IPv6 addresses count as one if they share their first 64 bits. Raise it where all clients come through one
     * proxy.
     *
     * @param connections 1 to 1,000,000; by default half of {@code maxConnections}, over gRPC and TCP at least 100
     * @return new options
     */
    public T withMaxConnectionsPerAddress(int connections) {
        return with(listener.with(listener.connections.withPerAddress(connections)));
    }

    /**
     * Returns a copy with this idle timeout. After it an accepted connection without traffic is closed. Over HTTP this
     * applies even while a request waits for its reply. Over gRPC and TCP it is closed if it has no call in flight or
     * the caller reads no replies, over gRPC also if it answers no ping. Nodes close their connections to others after
     * half of it; the HTTP clients of the JDK have one time for the whole JVM
     * ({@code jdk.httpclient.keepalive.timeout}).
     *
     * @param timeout 1 second to 2 hours; by default 60 seconds
     * @return new options
     */
    public T withIdleTimeout(Duration timeout) {
        return with(new Listener(listener.connections, timeout, listener.drainTimeout, listener.security));
    }

    /**
     * Returns a copy with this time that closing gives to requests in flight.
     *
     * @param timeout 0 to 10 minutes; by default 3 seconds for peers and 5 seconds for clients
     * @return new options
     */
    public T withDrainTimeout(Duration timeout) {
        return with(new Listener(listener.connections, listener.idleTimeout, timeout, listener.security));
    }

    /**
     * Returns how connections are accepted and closed.
     *
     * @return the present values
     */
    public final Listener listener() {
        return listener;
    }
}
