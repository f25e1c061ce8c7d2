package io.dht4j.transport.http.internal.peer;

import java.time.Duration;

/**
 * The options of the calls to peers.
 *
 * @param maxFrameBytes the largest request and reply
 * @param connectionsPerPeer the most connections to a peer
 * @param maxQueuedPerPeer the most calls that wait for a connection to a peer
 * @param maxQueuedBytesPerPeer the most bytes of unfinished calls to a peer
 * @param connectTimeout the time to connect
 * @param keepAlive how long a connection may stay unused
 */
public record PeerOptions(
        int maxFrameBytes,
        int connectionsPerPeer,
        int maxQueuedPerPeer,
        long maxQueuedBytesPerPeer,
        Duration connectTimeout,
        Duration keepAlive) {}
