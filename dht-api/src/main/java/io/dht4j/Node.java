package io.dht4j;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A member of the cluster.
 *
 * @param id its name; placement depends on it, so it must stay the same when the address changes
 * @param address the address of its transport, {@code host:port}: a name or an IP address, IPv6 in brackets, and a port
 *     of 1 to 65535
 * @param weight its share of the keys relative to the other nodes, 1 to 1000, for weighted placements; not a port
 */
public record Node(NodeId id, String address, int weight) {

    private static final int MAX_PORT = 65_535;
    private static final int MAX_HOST = 255;
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+");
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9._-]+)?]");

    /** The largest weight. */
    public static final int MAX_WEIGHT = 1000;

    /**
     * Checks the address and the weight.
     *
     * @throws IllegalArgumentException if the address has another form or the weight is out of range
     */
    public Node {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(address, "address");
        if (!isHost(hostOf(address))) {
            throw new IllegalArgumentException(
                    "node " + id + ": an address is host:port, with an IPv6 address in brackets, not \""
                            + PrintableText.of(address, MAX_HOST) + "\""
                            // Often the port was passed in place of the weight.
                            + (weight == 1 ? "" : "; " + weight + " is its weight, not its port"));
        }
        String port = portOf(address);
        if (!PORT.matcher(port).matches() || Integer.parseInt(port) < 1 || Integer.parseInt(port) > MAX_PORT) {
            throw new IllegalArgumentException("node " + id + ": the port of its address must be 1 to " + MAX_PORT
                    + ", not \"" + PrintableText.of(port, MAX_HOST) + "\"");
        }
        if (weight < 1 || weight > MAX_WEIGHT) {
            throw new IllegalArgumentException("node " + id + ": weight must be 1 to " + MAX_WEIGHT + ", not " + weight
                    + (weight > 0 && weight <= MAX_PORT ? "; its port stands in its address" : ""));
        }
    }

    /**
     * Creates a node of weight 1.
     *
     * @param id its name
     * @param address the address of its transport
     * @return the node
     * @throws IllegalArgumentException if the name or the address has a wrong form
     */
    public static Node of(String id, String address) {
        return new Node(new NodeId(Objects.requireNonNull(id, "id")), address, 1);
    }

    /**
     * Returns the host of the address.
     *
     * @return a name or an IP address, without brackets
     */
    public String host() {
        String host = hostOf(address);
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /**
     * Returns the port of the address.
     *
     * @return 1 to 65535
     */
    public int port() {
        return Integer.parseInt(portOf(address));
    }

    private static String hostOf(String address) {
        return address.substring(0, Math.max(0, address.lastIndexOf(':')));
    }

    private static String portOf(String address) {
        return address.substring(address.lastIndexOf(':') + 1);
    }

    private static boolean isHost(String host) {
        if (!host.startsWith("[")) {
            return host.length() <= MAX_HOST && HOST.matcher(host).matches();
        }
        if (host.length() > MAX_HOST || !IPV6.matcher(host).matches()) {
            return false;
        }
        try {
            // The text in brackets is never looked up. Its zone may belong to another machine.
            InetAddress.getByName(host.replaceFirst("%.*]", "]"));
            return true;
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
