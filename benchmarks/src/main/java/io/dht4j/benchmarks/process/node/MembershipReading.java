package io.dht4j.benchmarks.process.node;

import io.dht4j.MembershipStatus;
import java.util.List;

/**
 * A node's view of its agreed cluster at one moment. Its wire form is JSON.
 *
 * @param members all nodes
 * @param moves the running ones
 * @param waitsFor what further moves wait for, one line for people; empty if they do not wait
 */
public record MembershipReading(List<Member> members, List<Move> moves, String waitsFor) {

    /** Keeps unmodifiable copies. */
    public MembershipReading {
        members = List.copyOf(members);
        moves = List.copyOf(moves);
    }

    /**
     * A node.
     *
     * @param name its name
     * @param serving whether it has its share
     * @param weight its share relative to the others
     * @param partitions that it replicates
     * @param toMove partitions that it will get or give
     */
    public record Member(String name, boolean serving, int weight, int partitions, int toMove) {}

    /**
     * Partitions that move together.
     *
     * @param batch identifies the move
     * @param copiedBytes keys and values that the heir has received
     */
    public record Move(long batch, long copiedBytes) {}

    /** Returns the reading of a status. */
    static MembershipReading of(MembershipStatus status) {
        return new MembershipReading(
                status.members().stream()
                        .map(member -> new Member(
                                member.name().value(),
                                member.state() == MembershipStatus.State.SERVING,
                                member.weight(),
                                member.partitions(),
                                member.toCome() + member.toGive()))
                        .toList(),
                status.moves().stream()
                        .map(move -> new Move(move.batch(), move.copiedBytes()))
                        .toList(),
                status.rebalance().waitsFor());
    }

    /** Returns whether all nodes have their shares, and no partition moves. Named so that JSON leaves it out. */
    public boolean atRest() {
        return moves.isEmpty() && members.stream().allMatch(member -> member.serving() && member.toMove() == 0);
    }
}
