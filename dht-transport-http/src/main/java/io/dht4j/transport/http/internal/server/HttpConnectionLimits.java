package io.dht4j.transport.http.internal.server;

import io.dht4j.transport.common.OptionChecks;
import io.dht4j.transport.http.internal.netty.AcceptLimits;
import java.time.Duration;
import java.util.Optional;

/**
 * The limits of a port's connections, and of the time they may have without a request.
 *
 * @param max in all; where peers call, a quarter of them is kept for peers, and anywhere a sixteenth for probes
 * @param perAddress of those that make public requests, how many from one address; empty for half of all
 * @param headTimeout for the head of a request to arrive
 */
public record HttpConnectionLimits(int max, Optional<Integer> perAddress, Duration headTimeout) {

    public static final int DEFAULT_MAX = 10_000;
    public static final Duration DEFAULT_HEAD_TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST = 1_000_000;
    private static final int PART_FOR_PEERS = 4;

    /** The divisor of all connections that gives the least number kept for probes. */
    private static final int PART_FOR_PROBES = 16;

    public HttpConnectionLimits {
        OptionChecks.range("maxConnections", max, 1, MOST);
        perAddress.ifPresent(given -> OptionChecks.range("maxConnectionsPerAddress", given, 1, MOST));
        OptionChecks.range("headTimeout", headTimeout, Duration.ofMillis(1), Duration.ofHours(1));
    }

    public static HttpConnectionLimits of(int max) {
        return new HttpConnectionLimits(max, Optional.empty(), DEFAULT_HEAD_TIMEOUT);
    }

    /** Returns the limits at a port where this number of connections is possible. */
    public AcceptLimits at(int possible, boolean forPeers) {
        int all = Math.min(max, possible);
        int forProbes = all == 1 ? 0 : Math.max(1, all / PART_FOR_PROBES);
        return new AcceptLimits(
                all,
                Math.min(all, perAddress.orElse(Math.max(1, all / 2))),
                forPeers ? Math.max(forProbes, all / PART_FOR_PEERS) : forProbes,
                headTimeout);
    }
}
