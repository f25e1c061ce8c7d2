package io.dht4j.security;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Where bytes may go without TLS: over loopback, and elsewhere only if that was asked for. */
public final class Plaintext {

    private Plaintext() {}

    /**
     * Refuses to listen or to call in plaintext beyond this machine. Blocks while it looks up the host.
     *
     * @param what what would go in plaintext, for the message
     * @param host the host to bind or to call
     * @param allowed whether plaintext was asked for
     * @param option the option that asks for it, for the message
     * @param warnings takes a line that names the option if plaintext goes further than loopback and was asked for
     * @throws IllegalArgumentException if it would go further than loopback and was not asked for
     */
    public static void require(String what, String host, boolean allowed, String option, Consumer<String> warnings) {
        if (isLoopback(host)) {
            return;
        }
        if (!allowed) {
            throw new IllegalArgumentException(what + " at " + host
                    + " would be plaintext beyond this machine: set up TLS, bind a loopback address, or ask for it by "
                    + option);
        }
        warnings.accept(what + " at " + host + " is plaintext beyond this machine, as " + option + " allows");
    }

    /** A name that cannot be found counts as a foreign one, and so does one with any foreign address. */
    private static boolean isLoopback(String host) {
        try {
            // The JDK takes no name for loopback, listeners take it for every address.
            return !host.isBlank()
                    && Stream.of(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
