package io.dht4j.core.options;

import static java.util.Objects.requireNonNull;

import io.dht4j.MembershipChange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Ranges;
import io.dht4j.Topology;
import io.dht4j.spi.Discovery;
import io.dht4j.spi.TopologyLogFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The way in which a node becomes a member of an agreed cluster, whose nodes may change while it serves. Immutable.
 *
 * <p>A cluster is formed once, by {@link #bootstrap}, and never by default. Further nodes {@link #join}. Both concern
 * the first start on a data directory: a node that has an agreed state starts with it, and ignores these options.
 *
 * @param origin how the node becomes a member
 * @param self the node, with the address at which the others reach it
 * @param nodes the founders, in the same order at each of them; or nodes of the cluster to be joined, any of which may
 *     be down, empty with a discovery
 * @param discovery finds nodes of the cluster to be joined, in place of a list
 * @param log opens the node's topology log, such as {@code MicroRaftLogs} of {@code dht-topology-microraft}; must keep
 *     its files apart from the store, and be emptied together with it
 * @param startTimeout how long a start waits for other nodes; 1 second to 24 hours. Then it fails, and names the
 *     missing nodes; the agreements until then are kept
 * @param attributes the attributes of the node in the agreed state
 * @param joinToken the secret that this node uses to join, and to admit others; see {@link JoinToken} for its limits
 */
public record Membership(
        Origin origin,
        Node self,
        List<Node> nodes,
        Optional<Discovery> discovery,
        TopologyLogFactory log,
        Duration startTimeout,
        Attributes attributes,
        Optional<JoinToken> joinToken) {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);
    private static final long MAX_SECONDS = Duration.ofHours(24).toSeconds();

    /** How a node becomes a member. */
    public enum Origin {
        /** It forms the cluster with others, or converts a static cluster on its data. */
        BOOTSTRAP,
        /** It joins a cluster. */
        JOIN
    }

    /**
     * The attributes of a node in the agreed state. An empty attribute keeps its agreed value. A non-empty one replaces
     * the agreed value at each start of the node.
     *
     * @param zone its zone, at most {@value MembershipChange#MAX_ZONE} letters, digits, {@code .}, {@code _} and
     *     {@code -}; the replicas of a partition are in different zones as far as possible
     * @param weight its share of the partitions relative to the other nodes, 1 to {@value Node#MAX_WEIGHT}
     * @param publicAddresses where clients reach its public APIs, see {@link MembershipChange#requirePublicAddresses}
     */
    public record Attributes(Optional<String> zone, Optional<Integer> weight, Optional<List<String>> publicAddresses) {

        /** The defaults: weight 1, without a zone and without public addresses. */
        public static final Attributes NONE = new Attributes(Optional.empty(), Optional.empty(), Optional.empty());

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public Attributes {
            zone.ifPresent(MembershipChange::requireZone);
            weight.ifPresent(value -> Ranges.require("weight", value, 1, Node.MAX_WEIGHT));
            publicAddresses = publicAddresses.map(MembershipChange::requirePublicAddresses);
        }
    }

    /**
     * A secret that a cluster's nodes share. A node that proves possession of it is admitted without an operator. The
     * secret itself is never sent. Without TLS it prevents mistakes, not attacks: a caller that reaches the port of the
     * peers may use the name of a member as the sender, and admit other names.
     */
    @FunctionalInterface
    public interface JoinToken {

        /** The fewest bytes of a token. */
        int MIN_BYTES = 16;

        /**
         * Returns the token, for each join again, so that it may change. Called on a store thread; may read a file.
         *
         * @return at least {@value #MIN_BYTES} bytes
         * @throws RuntimeException if it cannot be read now; its message says why and where
         */
        byte[] bytes();
    }

    /**
     * Checks the options and copies the list.
     *
     * @throws IllegalArgumentException if one is out of its range, a name or an address stands twice, or the node is
     *     not one of the founders, or one of the nodes that it joins
     */
    public Membership {
        requireNonNull(origin, "origin");
        requireNonNull(self, "self");
        requireNonNull(log, "log");
        requireNonNull(attributes, "attributes");
        requireNonNull(discovery, "discovery");
        requireNonNull(startTimeout, "startTimeout");
        requireNonNull(joinToken, "joinToken");
        nodes = List.copyOf(requireNonNull(nodes, "nodes"));
        if (origin == Origin.JOIN && nodes.isEmpty() && discovery.isEmpty()) {
            throw new IllegalArgumentException("node " + self.id()
                    + " joins a cluster by its seeds, and there are none:" + " name one node of the cluster or more");
        }
        if (discovery.isEmpty() || origin == Origin.BOOTSTRAP) {
            // Refuses repeated names and addresses.
            new Topology(1, nodes);
        }
        boolean listed = nodes.contains(self);
        if (origin == Origin.BOOTSTRAP && !listed) {
            throw new IllegalArgumentException("node " + self.id() + " at " + self.address()
                    + " must be one of the nodes that form the cluster: " + nodes);
        }
        NodeId name = self.id();
        if (origin == Origin.JOIN && nodes.stream().anyMatch(node -> node.id().equals(name))) {
            throw new IllegalArgumentException("node " + name + " joins a cluster by other nodes, not by itself");
        }
        Ranges.require("startTimeout in seconds", startTimeout.toSeconds(), 1, MAX_SECONDS);
    }

    private Membership(
            Origin origin, Node self, List<Node> nodes, Optional<Discovery> discovery, TopologyLogFactory log) {
        this(origin, self, nodes, discovery, log, DEFAULT_TIMEOUT, Attributes.NONE, Optional.empty());
    }

    /**
     * Forms a cluster. All founders are started with the same list in the same order and with the same settings, in
     * empty data directories. On the data of a static cluster of the same nodes and settings they convert it: no data
     * moves. The start of each node completes when all have answered the first one, so that no two clusters are ever
     * formed of one list. A repeat after any failure forms the same cluster.
     *
     * @param self the name of this node
     * @param founders the nodes, at least as many as replicas of a key
     * @param log opens the topology log of this node
     * @return options with a start timeout of 5 minutes
     * @throws IllegalArgumentException if the node is not in the list, or a name or an address stands twice
     */
    public static Membership bootstrap(NodeId self, List<Node> founders, TopologyLogFactory log) {
        requireNonNull(self, "self");
        requireNonNull(founders, "founders");
        Node own = founders.stream()
                .filter(node -> node.id().equals(self))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "node " + self + " must be one of the nodes that form the cluster: " + founders));
        return new Membership(Origin.BOOTSTRAP, own, founders, Optional.empty(), log);
    }

    /**
     * Joins a cluster, which must have admitted the node's name, or have the same {@linkplain #withJoinToken token}.
     * The node takes all settings from the cluster; its hash function and placement must be the cluster's, and so must
     * each other setting that is set on its builder.
     *
     * @param self this node, with its weight and the address at which the others reach it
     * @param seeds some nodes of the cluster, at least one
     * @param log opens the topology log of this node
     * @return options with a start timeout of 5 minutes
     * @throws IllegalArgumentException if there are no seeds, this node is one of them, or one is listed twice
     */
    public static Membership join(Node self, List<Node> seeds, TopologyLogFactory log) {
        return new Membership(Origin.JOIN, self, requireNonNull(seeds, "seeds"), Optional.empty(), log);
    }

    /**
     * Joins a cluster as {@link #join(Node, List, TopologyLogFactory)} does, with nodes that a discovery finds.
     *
     * @param self this node, with its weight and the address at which the others reach it
     * @param seeds finds nodes of the cluster
     * @param log opens the topology log of this node
     * @return options with a start timeout of 5 minutes
     */
    public static Membership join(Node self, Discovery seeds, TopologyLogFactory log) {
        return new Membership(Origin.JOIN, self, List.of(), Optional.of(requireNonNull(seeds, "seeds")), log);
    }

    /**
     * Returns these options with another limit of the start.
     *
     * @param timeout 1 second to 24 hours
     * @return a copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public Membership withStartTimeout(Duration timeout) {
        return new Membership(origin, self, nodes, discovery, log, timeout, attributes, joinToken);
    }

    /**
     * Returns these options with other attributes of the node.
     *
     * @param other its zone, weight and public addresses
     * @return a copy
     */
    public Membership withAttributes(Attributes other) {
        return new Membership(origin, self, nodes, discovery, log, startTimeout, other, joinToken);
    }

    /**
     * Returns these options with a secret that this node uses to join, and to admit others. Without one, a name is
     * admitted by {@link io.dht4j.ClusterMembership#add} only. Without TLS the secret prevents mistakes, not attacks.
     *
     * @param token the same at all nodes
     * @return a copy
     */
    public Membership withJoinToken(JoinToken token) {
        return new Membership(
                origin,
                self,
                nodes,
                discovery,
                log,
                startTimeout,
                attributes,
                Optional.of(requireNonNull(token, "token")));
    }
}
