package io.dht4j;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The nodes of an agreed cluster at one moment, as one of them knows them.
 *
 * @param cluster the identity of the cluster
 * @param node the node that answers
 * @param epoch the number of its agreed state, which grows with every change; see {@link #epochText}
 * @param replicationFactor how many replicas each partition has
 * @param partitions how many partitions the cluster has
 * @param members all nodes but the removed ones, in the order in which they were added
 * @param moves the moves under way, in the order in which they began
 * @param metadata the nodes that agree on changes
 * @param rebalance how partitions move
 */
public record MembershipStatus(
        UUID cluster,
        NodeId node,
        long epoch,
        int replicationFactor,
        int partitions,
        List<Member> members,
        List<Move> moves,
        Metadata metadata,
        Rebalance rebalance) {

    private static final int INDEX_BITS = 48;

    /** Keeps copies of the lists. */
    public MembershipStatus {
        members = List.copyOf(members);
        moves = List.copyOf(moves);
    }

    /** What the cluster has agreed about a node. Whether it answers is an observation, and never changes this. */
    public enum State {
        /** It may join. */
        ADMITTED,
        /** It coordinates, and has not yet received its first share of partitions. */
        JOINING,
        /** It has its share. */
        SERVING,
        /** It gives all its partitions, and is removed then. */
        LEAVING,
        /** An operator has declared that this incarnation never returns. */
        DEAD
    }

    /**
     * A node.
     *
     * @param name its name; a dead node and its successor have the same one
     * @param number its number, never used again
     * @param state what is agreed about it
     * @param address the address of its transport; empty before it joins
     * @param publicAddresses the addresses of its public APIs
     * @param weight its share of the partitions relative to the others
     * @param zone its zone; the empty name for none
     * @param partitions how many partitions it is a replica of
     * @param toCome how many more it will get, by moves under way and planned ones
     * @param toGive how many of its partitions it will give
     * @param epoch the epoch that it has installed, if it has answered
     * @param silence for how long it has not answered this node; empty if it answers, was never asked, or a node of
     *     another cluster answers at its address, which {@code waitsFor} says
     * @param waitsFor what it waits for, one line for people; empty if it waits for nothing
     */
    public record Member(
            NodeId name,
            int number,
            State state,
            Optional<String> address,
            List<String> publicAddresses,
            int weight,
            String zone,
            int partitions,
            int toCome,
            int toGive,
            OptionalLong epoch,
            Optional<Duration> silence,
            String waitsFor) {

        /** Keeps a copy of the addresses. */
        public Member {
            publicAddresses = List.copyOf(publicAddresses);
        }
    }

    /** The phase of a move. */
    public enum Phase {
        /** The heir receives a copy, and both nodes get all writes. */
        COPY,
        /** Both nodes are complete, and the heir is read. */
        BOTH,
        /** The former owner is dead, and the heir receives what the other replicas have. */
        FILL,
        /** The move is being undone. */
        UNDO,
        /** The heir receives a copy to become one more replica, and both nodes get all writes. */
        GROW
    }

    /**
     * Partitions that move together from one node to another.
     *
     * @param batch identifies the move
     * @param from the node that gives
     * @param to the heir
     * @param partitions how many partitions
     * @param phase the phase
     * @param copiedBytes how much the heir has received; 0 if that is unknown
     * @param totalBytes how much it will receive, an estimate; 0 if that is unknown
     * @param waitsFor what the move waits for, one line for people; empty if it waits for nothing
     */
    public record Move(
            long batch,
            NodeId from,
            NodeId to,
            int partitions,
            Phase phase,
            long copiedBytes,
            long totalBytes,
            String waitsFor) {}

    /**
     * The nodes that agree on changes. Reads and writes do not need them.
     *
     * @param voters their names
     * @param wantedVoters how many there should be when there are as many nodes: 3, 5 or 7
     * @param leader the one that leads; empty if none is known
     * @param waitsFor what prevents changes, or will if another voter fails, one line for people; empty if nothing does
     */
    public record Metadata(List<NodeId> voters, int wantedVoters, Optional<NodeId> leader, String waitsFor) {

        /** Keeps a copy of the list. */
        public Metadata {
            voters = List.copyOf(voters);
        }
    }

    /**
     * How partitions move.
     *
     * @param bytesPerSecond the most that a node sends or receives for moves
     * @param paused whether moves stand still
     * @param waitsFor what further moves and changes wait for, one line for people; empty if that is nothing
     */
    public record Rebalance(long bytesPerSecond, boolean paused, String waitsFor) {}

    /**
     * Returns an epoch for people.
     *
     * @param epoch an epoch of an agreed cluster
     * @return generation and index, for example {@code 1.482}
     */
    public static String epochText(long epoch) {
        return (epoch >>> INDEX_BITS) + "." + (epoch & ((1L << INDEX_BITS) - 1));
    }
}
