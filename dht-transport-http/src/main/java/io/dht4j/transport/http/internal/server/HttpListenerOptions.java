package io.dht4j.transport.http.internal.server;

import io.dht4j.Ranges;
import io.dht4j.transport.common.options.ListenAddress;
import io.dht4j.transport.common.options.ListenerOptions.Listener;
import io.dht4j.transport.http.internal.netty.AcceptLimits;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import java.time.Duration;

/**
 * The address, the limits and the encryption of a listener.
 *
 * @param address the address to bind
 * @param eventLoops event loop threads
 * @param listener how connections are accepted and closed
 * @param headTimeout for the head of a request to arrive, 1 ms to 1 hour
 * @param forPeers whether peers call here: then clients are asked for a certificate, and those without one are served
 *     too, because it is the peer endpoint that demands one
 */
public record HttpListenerOptions(
        ListenAddress address, int eventLoops, Listener listener, Duration headTimeout, boolean forPeers) {

    /** The default time for the head of a request to arrive. */
    public static final Duration DEFAULT_HEAD_TIMEOUT = Duration.ofSeconds(10);

    /** The longest request line: a key of 4096 bytes, each percent-encoded, twice, and the rest. */
    public static final int MAX_REQUEST_LINE = 32 * 1024;

    /** The longest header section. */
    public static final int MAX_HEADERS = PeerProtocol.MAX_HEADERS;

    /** The number of HTTP/2 streams on a connection, where peers call. */
    public static final int PEER_STREAMS = 1024;

    /** The number of resets after which a peer that abandons its HTTP/2 calls loses its connection. */
    public static final int PEER_RESETS_PER_SECOND = 50_000;

    /** The divisor of all connections that gives those kept for peers, where peers call. */
    private static final int PART_FOR_PEERS = 4;

    /** The divisor of all connections that gives the least number kept for probes. */
    private static final int PART_FOR_PROBES = 16;

    public HttpListenerOptions {
        Ranges.require("eventLoops", eventLoops, 1, 256);
        requireHeadTimeout(headTimeout);
        listener.security().requireServerFiles(forPeers);
    }

    /** Returns the options of a port for a public API alone. */
    public static HttpListenerOptions of(ListenAddress address, Listener listener, Duration headTimeout) {
        int eventLoops = Math.min(2, Runtime.getRuntime().availableProcessors());
        return new HttpListenerOptions(address, eventLoops, listener, headTimeout, false);
    }

    /** Returns a time for heads if it is in its range. */
    public static Duration requireHeadTimeout(Duration timeout) {
        Ranges.require("headTimeout", timeout, Duration.ofMillis(1), Duration.ofHours(1));
        return timeout;
    }

    /** Returns the limits at a port where this number of connections is possible. */
    public AcceptLimits acceptLimits(int possible) {
        int all = Math.min(listener.connections().max(), possible);
        int forProbes = all == 1 ? 0 : Math.max(1, all / PART_FOR_PROBES);
        return new AcceptLimits(
                all,
                Math.min(all, listener.connections().perAddress().orElse(Math.max(1, all / 2))),
                forPeers ? Math.max(forProbes, all / PART_FOR_PEERS) : forProbes,
                headTimeout);
    }
}
