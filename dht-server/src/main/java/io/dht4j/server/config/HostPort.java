package io.dht4j.server.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * An address to listen on or to connect to.
 *
 * @param host a name or an IP address; IPv6 addresses without the brackets
 * @param port 1 to 65535
 */
public record HostPort(String host, int port) {

    /** The largest port. */
    public static final int MAX_PORT = 65_535;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if the host is empty or the port out of range
     */
    public HostPort {
        if (host.isBlank()) {
            throw new IllegalArgumentException("the host is missing");
        }
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("the port must be 1 to " + MAX_PORT + ", not " + port);
        }
    }

    /**
     * Reads {@code host:port} or {@code [ipv6]:port}.
     *
     * @param text for example {@code 127.0.0.1:8080}
     * @return the address
     * @throws IllegalArgumentException if the text has another form; the message is fit for the user
     */
    public static HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (colon < 0 || (host.contains(":") && !bracketed)) {
            throw new IllegalArgumentException(
                    "expected host:port (an IPv6 address in brackets: [::1]:8080), not \"" + text + "\"");
        }
        String digits = text.substring(colon + 1);
        // No number of more than five digits is a port, and none of up to nine overflows.
        if (!digits.matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException(
                    "the port must be a number from 1 to " + MAX_PORT + ", not \"" + digits + "\"");
        }
        return new HostPort(bracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(digits));
    }

    /**
     * Returns whether this address listens on every interface.
     *
     * @return true for {@code 0.0.0.0} and {@code ::}
     */
    public boolean isWildcard() {
        return host.equals("0.0.0.0") || host.equals("::");
    }

    /**
     * Returns whether listening at both is listening once: the ports are equal, and the hosts are equal or resolve to
     * the same address. Blocks if it has to look up a name.
     *
     * @param other another address
     * @return false for a host that cannot be found, too
     */
    public boolean isSameSocketAs(HostPort other) {
        if (port != other.port) {
            return false;
        }
        if (host.equalsIgnoreCase(other.host)) {
            return true;
        }
        try {
            return InetAddress.getByName(host).equals(InetAddress.getByName(other.host));
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /**
     * Returns whether one port cannot be bound at both: they are the same, or one of them covers every interface.
     * Blocks if it has to look up a name.
     *
     * @param other another address
     * @return true if so
     */
    public boolean overlaps(HostPort other) {
        return port == other.port && (isWildcard() || other.isWildcard() || isSameSocketAs(other));
    }

    /** Returns the address in the form that {@link #parse} reads. */
    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
