package io.dht4j.transport.http.internal.netty;

import io.netty.util.NetUtil;
import java.util.Optional;

/** IP addresses in texts, parsed without a name service. */
public final class IpLiterals {

    private IpLiterals() {}

    /**
     * Reads an address.
     *
     * @param text an IPv4 address, an IPv6 address without brackets, or any other text
     * @return the address in a canonical form; empty if it is none
     */
    public static Optional<String> normal(String text) {
        return Optional.ofNullable(NetUtil.createByteArrayFromIpAddressString(text))
                .map(NetUtil::bytesToIpAddress);
    }
}
