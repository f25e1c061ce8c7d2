package io.dht4j.transport.common.options;

import io.dht4j.Ranges;
import java.util.OptionalInt;

/**
 * The number of connections that a listener accepts.
 *
 * @param max in all, 1 to 1,000,000
 * @param perAddress from one remote address, 1 to 1,000,000; empty for the listener's share of all
 */
public record ConnectionLimits(int max, OptionalInt perAddress) {

    private static final int MOST = 1_000_000;
    private static final ConnectionLimits DEFAULTS = new ConnectionLimits(10_000, OptionalInt.empty());

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public ConnectionLimits {
        Ranges.require("maxConnections", max, 1, MOST);
        perAddress.ifPresent(most -> Ranges.require("maxConnectionsPerAddress", most, 1, MOST));
    }

    /**
     * Returns the defaults: 10,000 connections.
     *
     * @return the defaults
     */
    public static ConnectionLimits defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a copy with this bound in all.
     *
     * @param connections 1 to 1,000,000
     * @return new limits
     */
    public ConnectionLimits withMax(int connections) {
        return new ConnectionLimits(connections, perAddress);
    }

    /**
     * Returns a copy with this bound for one remote address.
     *
     * @param connections 1 to 1,000,000
     * @return new limits
     */
    public ConnectionLimits withPerAddress(int connections) {
        return new ConnectionLimits(max, OptionalInt.of(connections));
    }
}
