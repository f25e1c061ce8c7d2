package io.dht4j.transport.common;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The source of a connection: an IPv4 address, or an IPv6 network of 64 bits, since a caller there has all of its
 * addresses. Immutable.
 *
 * @param bytes the address or the first bytes of it; empty where there is no Internet address
 */
public record CallerNetwork(ByteBuffer bytes) {

    /** The length of the prefix that identifies an IPv6 network. */
    private static final int NETWORK_BYTES = 8;

    private static final CallerNetwork UNKNOWN = new CallerNetwork(ByteBuffer.allocate(0));

    /**
     * Returns the source of an address.
     *
     * @param address the remote address; null if there is none, and all of those count as one source
     * @return the source
     */
    public static CallerNetwork of(@Nullable InetAddress address) {
        if (address == null) {
            return UNKNOWN;
        }
        byte[] bytes = address.getAddress();
        return new CallerNetwork(
                ByteBuffer.wrap(bytes, 0, address instanceof Inet6Address ? NETWORK_BYTES : bytes.length));
    }
}
