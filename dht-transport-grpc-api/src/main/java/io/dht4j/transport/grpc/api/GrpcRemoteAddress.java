package io.dht4j.transport.grpc.api;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address at which a node serves the API.
 *
 * @param host a name or an address, IPv6 without brackets
 * @param port 1 to 65535
 */
record GrpcRemoteAddress(String host, int port) {

    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Fa-f:.%]+)]|([^\\s:/\\[\\]]+)):([0-9]{1,5})");
    private static final Pattern IP = Pattern.compile("[0-9.]+|.*:.*");

    /**
     * Reads {@code host:port}.
     *
     * @throws InvalidRequestException if it has another form
     */
    static GrpcRemoteAddress parse(String address) {
        Matcher matcher = FORM.matcher(address);
        if (matcher.matches()) {
            int port = Integer.parseInt(matcher.group(3));
            if (port >= 1 && port <= 65_535) {
                return new GrpcRemoteAddress(matcher.group(1) == null ? matcher.group(2) : matcher.group(1), port);
            }
        }
        throw new InvalidRequestException(
                ErrorCode.BAD_REQUEST,
                "a node's address is host:port with a port of 1 to 65535, not \"" + address + "\"");
    }

    /** Returns whether the address can be recognised as this machine's without a name lookup. */
    boolean needsNoLookup() {
        return host.equalsIgnoreCase("localhost") || IP.matcher(host).matches();
    }
}
