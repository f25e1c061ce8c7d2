package io.dht4j.transport.common;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address at which a node serves an API.
 *
 * @param host a name or an address, IPv6 without brackets
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) {

    /** The form of an address, for messages. */
    public static final String FORM = "host:port with a port of 1 to 65535";

    private static final Pattern PARTS = Pattern.compile("(?:\\[([0-9A-Fa-f:.%]+)]|([^\\s:/\\[\\]]+)):([0-9]{1,5})");
    private static final Pattern IP = Pattern.compile("[0-9.]+|.*:.*");

    /**
     * Reads an address.
     *
     * @param text {@code host:port}, an IPv6 address in brackets
     * @return the address; empty if the text has another form
     */
    public static Optional<NodeAddress> parse(String text) {
        Matcher matcher = PARTS.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int port = Integer.parseInt(matcher.group(3));
        String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        return port >= 1 && port <= 65_535 ? Optional.of(new NodeAddress(host, port)) : Optional.empty();
    }

    /**
     * Returns whether the host can be recognised as this machine's, or another's, without a name lookup.
     *
     * @return true for an IP address and for {@code localhost}
     */
    public boolean needsNoLookup() {
        return host.equalsIgnoreCase("localhost") || IP.matcher(host).matches();
    }
}
