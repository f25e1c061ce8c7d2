package io.dht4j.transport.http.internal.server;

import io.dht4j.transport.common.options.ConnectionLimits;
import io.dht4j.transport.common.options.ListenAddress;
import io.dht4j.transport.common.options.ListenerOptions.Listener;
import io.dht4j.transport.common.options.WireSecurity;
import java.time.Duration;

/** Options of listeners for tests: a minute of silence, five seconds for draining, ten for heads, two event loops. */
public final class ListenerFixtures {

    private static final Duration HEADS = HttpListenerOptions.DEFAULT_HEAD_TIMEOUT;

    private ListenerFixtures() {}

    /** For a public API, plaintext on loopback. */
    public static HttpListenerOptions at(String host, int port) {
        return secured(host, port, WireSecurity.onLoopback(), false);
    }

    public static HttpListenerOptions secured(String host, int port, WireSecurity security, boolean forPeers) {
        return of(host, port, ConnectionLimits.defaults(), HEADS, security, forPeers);
    }

    public static HttpListenerOptions limited(ConnectionLimits connections, Duration headTimeout, boolean forPeers) {
        return of("127.0.0.1", 0, connections, headTimeout, WireSecurity.onLoopback(), forPeers);
    }

    public static HttpListenerOptions of(
            String host,
            int port,
            ConnectionLimits connections,
            Duration headTimeout,
            WireSecurity security,
            boolean forPeers) {
        Listener listener = new Listener(connections, Duration.ofSeconds(60), Duration.ofSeconds(5), security);
        return new HttpListenerOptions(new ListenAddress(host, port), 2, listener, headTimeout, forPeers);
    }
}
