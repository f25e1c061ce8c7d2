package io.dht4j.security;

import io.dht4j.spi.ConnectFailure;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Restricts plaintext to loopback, unless it is explicitly allowed elsewhere. */
public final class Plaintext {

    private Plaintext() {}

    /**
     * Checks that plaintext may be used with a host. Blocks while it resolves the host.
     *
     * @param what the plaintext traffic, for the message
     * @param host the host to bind
     * @param allowed whether plaintext is explicitly allowed
     * @param option the option that allows it, for the message
     * @param warnings receives a line that names the option if plaintext beyond loopback is used and allowed
     * @throws IllegalArgumentException if plaintext is not allowed, and the host is not loopback or has no address
     */
    public static void require(String what, String host, boolean allowed, String option, Consumer<String> warnings) {
        require(what, host, allowed, "bind a loopback address, or ask for it by " + option, option, warnings);
    }

    /**
     * Checks that a token may be sent to a host in plaintext. Blocks while it resolves the host.
     *
     * @param what the token, for the message
     * @param host the host to call
     * @param allowed whether plaintext is explicitly allowed
     * @param option the option that allows it, for the message
     * @param warnings receives a line that names the option if plaintext beyond loopback is used and allowed
     * @throws IllegalArgumentException if plaintext is not allowed, and the host is not loopback or has no address
     */
    public static void requireForToken(
            String what, String host, boolean allowed, String option, Consumer<String> warnings) {
        require(what, host, allowed, "or ask for it by " + option, option, warnings);
    }

    private static void require(
            String what, String host, boolean allowed, String remedies, String option, Consumer<String> warnings) {
        try {
            if (isLoopback(host)) {
                return;
            }
        } catch (UnknownHostException e) {
            if (!allowed) {
                throw new IllegalArgumentException(what + " at " + host + ": " + ConnectFailure.UNKNOWN_HOST, e);
            }
        }
        if (!allowed) {
            throw new IllegalArgumentException(
                    what + " at " + host + " would be plaintext beyond this machine: set up TLS, " + remedies);
        }
        warnings.accept(what + " at " + host + " is plaintext beyond this machine, as " + option + " allows");
    }

    /** Returns whether all addresses of a host are loopback addresses. */
    private static boolean isLoopback(String host) throws UnknownHostException {
        // The JDK resolves the empty name to loopback; listeners bind it to every address.
        return !host.isBlank() && Stream.of(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
    }
}
