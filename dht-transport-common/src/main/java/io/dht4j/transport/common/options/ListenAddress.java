package io.dht4j.transport.common.options;

import static java.util.Objects.requireNonNull;

import io.dht4j.Ranges;

/**
 * The address that a listener binds.
 *
 * @param host a name or an address, for example {@code 127.0.0.1} or {@code 0.0.0.0}
 * @param port 1 to 65535, or 0 for any free port
 */
public record ListenAddress(String host, int port) {

    /**
     * Checks host and port.
     *
     * @throws IllegalArgumentException if the host is blank or has a port, or the port is out of range
     */
    public ListenAddress {
        if (requireNonNull(host, "host").isBlank()) {
            throw new IllegalArgumentException("host must be a name or an address, not \"" + host + "\"");
        }
        int colon = host.indexOf(':');
        boolean isIpv6 = colon != host.lastIndexOf(':') && !host.contains("]:");
        if (colon >= 0 && !isIpv6) {
            throw new IllegalArgumentException(
                    "host must be a name or an address, without a port, not \"" + host + "\"");
        }
        Ranges.require("port", port, 0, 65_535);
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
