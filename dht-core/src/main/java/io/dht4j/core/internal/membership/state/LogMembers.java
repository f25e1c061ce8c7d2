package io.dht4j.core.internal.membership.state;

import io.dht4j.core.internal.view.Epoch;
import io.dht4j.spi.NodeRef;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The voters as members of the topology log. A member that was removed from the log never returns to it, and no node
 * takes part in two generations of it with the same files. So a node has another identity in the log each time that it
 * becomes a voter: its incarnation, and the epoch. A founder's first identity is the incarnation alone, since there is
 * no epoch before the first command.
 */
public final class LogMembers {

    private LogMembers() {}

    /** Returns the voters. */
    public static List<NodeRef> voters(ClusterState state) {
        VoterGroup group = state.members().group();
        List<NodeRef> refs = new ArrayList<>();
        for (int i = 0; i < group.numbers().size(); i++) {
            refs.add(ref(
                    state.members().get(group.numbers().get(i)), group.since().get(i)));
        }
        return refs;
    }

    /** Returns the first voters of the group, always in the same order. */
    public static List<NodeRef> first(ClusterState state) {
        VoterGroup group = state.members().group();
        return group.first().stream()
                .map(number -> ref(state.members().get(number), group.begun()))
                .toList();
    }

    /** Returns a member as a voter; empty if it is none. */
    public static Optional<NodeRef> voter(ClusterState state, Member member) {
        int place = state.members().voters().indexOf(member.number());
        return place < 0 ? Optional.empty() : Optional.of(voters(state).get(place));
    }

    private static NodeRef ref(Member member, long since) {
        UUID incarnation = member.incarnation().orElseThrow();
        return new NodeRef(member.name(), since == Epoch.FIRST ? incarnation : derived(incarnation, since));
    }

    private static UUID derived(UUID incarnation, long since) {
        return UUID.nameUUIDFromBytes(ByteBuffer.allocate(3 * Long.BYTES)
                .putLong(incarnation.getMostSignificantBits())
                .putLong(incarnation.getLeastSignificantBits())
                .putLong(since)
                .array());
    }
}
