package io.dht4j.transport.tcp;

import io.dht4j.Ranges;
import io.dht4j.transport.common.options.ListenAddress;
import io.dht4j.transport.common.options.PeerTransportOptions;
import java.time.Duration;

/**
 * The options of a {@link TcpTransport}: address, connections and limits. Immutable. Every {@code with} method returns
 * a copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range.
 */
public final class TcpTransportOptions extends PeerTransportOptions<TcpTransportOptions> {

    private static final Duration DEFAULT_HELLO_TIMEOUT = Duration.ofSeconds(10);

    private final int connectionsPerPeer;
    private final Duration helloTimeout;

    private TcpTransportOptions(Settings settings, int connectionsPerPeer, Duration helloTimeout) {
        super(settings);
        Ranges.require("connectionsPerPeer", connectionsPerPeer, 1, 256);
        Ranges.require("helloTimeout", helloTimeout, Duration.ofMillis(100), Duration.ofMinutes(10));
        this.connectionsPerPeer = connectionsPerPeer;
        this.helloTimeout = helloTimeout;
    }

    /**
     * Returns the defaults at an address.
     *
     * @param host the name or address to bind, for example {@code 127.0.0.1} or {@code 0.0.0.0}
     * @param port the port to bind, 1 to 65535, or 0 for any free one
     * @return options
     * @throws IllegalArgumentException if the host is blank or has a port, or the port is out of range
     */
    public static TcpTransportOptions at(String host, int port) {
        return new TcpTransportOptions(Settings.of(new ListenAddress(host, port), true), 1, DEFAULT_HELLO_TIMEOUT);
    }

    /**
     * Returns the defaults for a member that calls others and does not listen.
     *
     * @return options; those of listening have no effect
     */
    public static TcpTransportOptions callingOnly() {
        return new TcpTransportOptions(Settings.of(new ListenAddress("127.0.0.1", 0), false), 1, DEFAULT_HELLO_TIMEOUT);
    }

    @Override
    protected TcpTransportOptions with(Settings changed) {
        return new TcpTransportOptions(changed, connectionsPerPeer, helloTimeout);
    }

    /**
     * Returns a copy with this number of connections to each peer, which are assigned to the event loops round-robin.
     * Each connection carries any number of calls. More connections let more threads work for one peer, and put fewer
     * frames into one write.
     *
     * @param connections 1 to 256; by default 1
     * @return new options
     */
    public TcpTransportOptions withConnectionsPerPeer(int connections) {
        return new TcpTransportOptions(settings(), connections, helloTimeout);
    }

    /**
     * Returns a copy with this time for the beginning of an accepted connection: TLS and the caller's first bytes. The
     * head of a later record has as long to arrive. A connection that takes longer is closed.
     *
     * @param timeout 100 ms to 10 minutes; by default 10 seconds
     * @return new options
     */
    public TcpTransportOptions withHelloTimeout(Duration timeout) {
        return new TcpTransportOptions(settings(), connectionsPerPeer, timeout);
    }

    /**
     * Returns the number of connections to each peer.
     *
     * @return the number
     */
    public int connectionsPerPeer() {
        return connectionsPerPeer;
    }

    /**
     * Returns the time for the beginning of an accepted connection.
     *
     * @return the time
     */
    public Duration helloTimeout() {
        return helloTimeout;
    }
}
