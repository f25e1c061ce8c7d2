package io.dht4j.core.internal.membership.state;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The attributes of a member, which it reports itself and may change while it serves.
 *
 * @param address the address of its peer transport, {@code host:port}, as in {@link Node}
 * @param publicAddresses at most {@value #MAX_PUBLIC_ADDRESSES} addresses of its public APIs, each of 1 to
 *     {@value #MAX_PUBLIC_ADDRESS} printable characters
 * @param weight its share of the slots relative to the other members, 1 to {@value Node#MAX_WEIGHT}
 * @param zone the name of its zone, at most {@value #MAX_ZONE} letters, digits, {@code .}, {@code _} and {@code -};
 *     members without a zone have the empty name and share that zone
 */
public record MemberAttributes(String address, List<String> publicAddresses, int weight, String zone) {

    /** The maximum number of public addresses. */
    public static final int MAX_PUBLIC_ADDRESSES = 8;

    /** The maximum number of characters of a public address. */
    public static final int MAX_PUBLIC_ADDRESS = 300;

    /** The maximum number of characters of a zone's name. */
    public static final int MAX_ZONE = 64;

    private static final Pattern ZONE = Pattern.compile("[A-Za-z0-9._-]*");
    private static final NodeId ANY = new NodeId("member");

    /**
     * Checks and copies the attributes.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public MemberAttributes {
        new Node(ANY, address, weight);
        publicAddresses = List.copyOf(publicAddresses);
        if (publicAddresses.size() > MAX_PUBLIC_ADDRESSES) {
            throw new IllegalArgumentException(
                    "a node has at most " + MAX_PUBLIC_ADDRESSES + " public addresses, not " + publicAddresses.size());
        }
        for (String published : publicAddresses) {
            if (published.isEmpty()
                    || published.length() > MAX_PUBLIC_ADDRESS
                    || !PrintableText.of(published).equals(published)) {
                throw new IllegalArgumentException("a public address has 1 to " + MAX_PUBLIC_ADDRESS
                        + " printable characters, not \"" + PrintableText.of(published, MAX_PUBLIC_ADDRESS) + "\"");
            }
        }
        if (zone.length() > MAX_ZONE || !ZONE.matcher(zone).matches()) {
            throw new IllegalArgumentException("a zone has at most " + MAX_ZONE
                    + " letters, digits, '.', '_' or '-', not \"" + PrintableText.of(zone, MAX_ZONE) + "\"");
        }
    }

    /**
     * Returns attributes without public addresses, of weight 1 and without a zone.
     *
     * @throws IllegalArgumentException if the address has another form
     */
    public static MemberAttributes of(String address) {
        return new MemberAttributes(address, List.of(), 1, "");
    }

    /** Returns the same attributes with another weight. */
    public MemberAttributes withWeight(int other) {
        return new MemberAttributes(address, publicAddresses, other, zone);
    }

    /** Returns the same attributes with another zone. */
    public MemberAttributes withZone(String other) {
        return new MemberAttributes(address, publicAddresses, weight, other);
    }
}
