package io.dht4j;

/**
 * A member of the cluster.
 *
 * @param id its name; placement depends on it, so it must survive a change of address
 * @param address where its transport listens, in the transport's own notation ({@code host:port} for HTTP and gRPC)
 * @param weight its share of the keys relative to the other nodes, 1 to 1000, for placements that heed weights
 */
public record Node(NodeId id, String address, int weight) {

    /** The largest weight. */
    public static final int MAX_WEIGHT = 1000;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if the address is empty or the weight out of range
     */
    public Node {
        if (address.isBlank()) {
            throw new IllegalArgumentException("node " + id + " needs an address");
        }
        if (weight < 1 || weight > MAX_WEIGHT) {
            throw new IllegalArgumentException(
                    "node " + id + ": weight must be 1 to " + MAX_WEIGHT + ", not " + weight);
        }
    }

    /**
     * A node of weight 1.
     *
     * @param id its name
     * @param address where its transport listens
     * @return the node
     * @throws IllegalArgumentException if the name or the address has a wrong form
     */
    public static Node of(String id, String address) {
        return new Node(new NodeId(id), address, 1);
    }
}
