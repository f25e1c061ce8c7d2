package io.dht4j;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/** A change of a cluster's nodes, of the number of replicas, or of how fast partitions move. Immutable. */
public sealed interface MembershipChange {

    /** The maximum number of characters of a zone's name. */
    int MAX_ZONE = 64;

    /** The maximum number of public addresses of a node. */
    int MAX_PUBLIC_ADDRESSES = 8;

    /** The lowest rate of moves: 64 KiB a second. */
    long MIN_RATE = 64L << 10;

    /** The highest rate of moves: 1 TiB a second. */
    long MAX_RATE = 1L << 40;

    /**
     * Allows a node to join, or lets a leaving one stay.
     *
     * @param node its name
     */
    record Add(NodeId node) implements MembershipChange {

        /** Requires a name. */
        public Add {
            requireNonNull(node, "node");
        }
    }

    /**
     * Empties a node and then removes it, see {@link ClusterMembership#remove}.
     *
     * @param node its name
     */
    record Remove(NodeId node) implements MembershipChange {

        /** Requires a name. */
        public Remove {
            requireNonNull(node, "node");
        }
    }

    /**
     * Declares that a node never returns, see {@link ClusterMembership#replace}.
     *
     * @param node its name
     * @param acceptDataLoss whether to go on although acknowledged writes may be lost, because too few complete
     *     replicas remain of some partition
     */
    record Replace(NodeId node, boolean acceptDataLoss) implements MembershipChange {

        /** Requires a name. */
        public Replace {
            requireNonNull(node, "node");
        }
    }

    /**
     * Changes what the cluster knows about a node. What is empty stays as it is.
     *
     * @param node its name
     * @param address the address of its transport, {@code host:port}
     * @param publicAddresses where clients reach its public APIs, see {@link #requirePublicAddresses}
     * @param zone the name of its zone, at most {@value #MAX_ZONE} letters, digits, {@code .}, {@code _} and {@code -};
     *     the empty name for none
     * @param weight its share of the partitions relative to the others, 1 to {@value Node#MAX_WEIGHT}
     */
    record Update(
            NodeId node,
            Optional<String> address,
            Optional<List<String>> publicAddresses,
            Optional<String> zone,
            OptionalInt weight)
            implements MembershipChange {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range, or nothing changes
         */
        public Update {
            address.ifPresent(value -> new Node(node, value, 1));
            publicAddresses = publicAddresses.map(MembershipChange::requirePublicAddresses);
            zone.ifPresent(MembershipChange::requireZone);
            weight.ifPresent(value -> Ranges.require("weight", value, 1, Node.MAX_WEIGHT));
            if (address.isEmpty() && publicAddresses.isEmpty() && zone.isEmpty() && weight.isEmpty()) {
                throw new IllegalArgumentException("an update of node " + node
                        + " changes nothing: give its address, public addresses, zone or weight");
            }
        }
    }

    /**
     * Sets how partitions move. What is empty stays as it is.
     *
     * @param paused whether no move may begin, and those under way stand still
     * @param bytesPerSecond the most that a node sends or receives for moves, {@link #MIN_RATE} to {@link #MAX_RATE}
     */
    record Rebalance(Optional<Boolean> paused, OptionalLong bytesPerSecond) implements MembershipChange {

        /**
         * Checks the rate.
         *
         * @throws IllegalArgumentException if it is out of range, or nothing changes
         */
        public Rebalance {
            bytesPerSecond.ifPresent(rate -> Ranges.require("rate in bytes a second", rate, MIN_RATE, MAX_RATE));
            if (paused.isEmpty() && bytesPerSecond.isEmpty()) {
                throw new IllegalArgumentException("a change of the rebalance pauses, resumes or sets the rate");
            }
        }

        /** Stops all moves until they are resumed. */
        public static Rebalance pause() {
            return new Rebalance(Optional.of(true), OptionalLong.empty());
        }

        /** Lets moves go on. */
        public static Rebalance resume() {
            return new Rebalance(Optional.of(false), OptionalLong.empty());
        }

        /**
         * Sets the rate.
         *
         * @param bytesPerSecond {@link #MIN_RATE} to {@link #MAX_RATE}
         * @return the change
         * @throws IllegalArgumentException if it is out of range
         */
        public static Rebalance rate(long bytesPerSecond) {
            return new Rebalance(Optional.empty(), OptionalLong.of(bytesPerSecond));
        }
    }

    /**
     * Raises the number of replicas of each key. Partitions get further replicas one after the other, while they are
     * read and written; {@link ClusterMembership#status} shows how far that is. Refused if fewer nodes take partitions,
     * and if any partition has more replicas already: they cannot become fewer.
     *
     * @param replicas how many replicas each key is to have, 1 to {@value #MAX}
     */
    record ReplicationFactor(int replicas) implements MembershipChange {

        /** The largest number of replicas. */
        public static final int MAX = 16;

        /**
         * Checks the number.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public ReplicationFactor {
            Ranges.require("replication factor", replicas, 1, MAX);
        }
    }

    /**
     * Pauses moves, and undoes those under way: their partitions stay where they were. Moves that stand in for a dead
     * node go on.
     */
    record CancelMoves() implements MembershipChange {}

    /**
     * Sets how many nodes agree on changes, when there are as many: more of them survive the loss of more, and take
     * longer to agree. They are chosen by the cluster, in different zones as far as possible.
     *
     * @param voters 3, 5 or 7
     */
    record Voters(int voters) implements MembershipChange {

        /**
         * Checks the number.
         *
         * @throws IllegalArgumentException if it is another one
         */
        public Voters {
            if (voters != 3 && voters != 5 && voters != 7) {
                throw new IllegalArgumentException("a cluster has 3, 5 or 7 voters, not " + voters);
            }
        }
    }

    /**
     * Goes on without the majority of the nodes that agree on changes, which is lost. Takes the newest state that any
     * node has. Refused unless every other node answers.
     *
     * @param lost the nodes that never return with what they know
     * @param acceptDataLoss whether to go on although one of them still answers another node: what it agrees on and
     *     acknowledges meanwhile may be lost
     */
    record Recover(Set<NodeId> lost, boolean acceptDataLoss) implements MembershipChange {

        /** Recovers if no lost node answers any other one. */
        public Recover(Set<NodeId> lost) {
            this(lost, false);
        }

        /** Copies the names. */
        public Recover {
            lost = Set.copyOf(lost);
        }
    }

    /**
     * Checks a zone's name.
     *
     * @param zone at most {@value #MAX_ZONE} letters, digits, {@code .}, {@code _} and {@code -}
     * @return the name
     * @throws IllegalArgumentException if it has another form
     */
    static String requireZone(String zone) {
        if (zone.length() > MAX_ZONE || !Pattern.matches("[A-Za-z0-9._-]*", zone)) {
            throw new IllegalArgumentException("a zone's name has at most " + MAX_ZONE
                    + " letters, digits, dots, underscores and hyphens, not \"" + PrintableText.of(zone, MAX_ZONE)
                    + "\"");
        }
        return zone;
    }

    /**
     * Checks public addresses.
     *
     * @param addresses at most {@value #MAX_PUBLIC_ADDRESSES}, each of the form {@code API://host:port}, where API is
     *     the name of the client that calls it, for example {@code http://10.0.0.1:8080} or
     *     {@code grpc://10.0.0.1:9090}
     * @return a copy
     * @throws IllegalArgumentException if there are too many, or one is malformed
     */
    static List<String> requirePublicAddresses(List<String> addresses) {
        List<String> copy = List.copyOf(addresses);
        if (copy.size() > MAX_PUBLIC_ADDRESSES) {
            throw new IllegalArgumentException(
                    "a node has at most " + MAX_PUBLIC_ADDRESSES + " public addresses, not " + copy.size());
        }
        for (String address : copy) {
            int end = address.indexOf("://");
            if (end < 1 || !address.substring(0, end).matches("[a-z]{1,16}")) {
                throw new IllegalArgumentException("a public address is http://host:port or grpc://host:port, not \""
                        + PrintableText.of(address, MAX_ZONE) + "\"");
            }
            new Node(new NodeId("public"), address.substring(end + 3), 1);
        }
        return copy;
    }
}
