package io.dht4j.topology.microraft.internal.codec;

import io.dht4j.spi.NodeRef;
import io.microraft.RaftEndpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A member of the Raft group: an incarnation of a node, never only its name. Its hash is computed from strings only,
 * because MicroRaft iterates over hash maps of members, and their order must be reproducible.
 */
public record RaftMember(NodeRef ref) implements RaftEndpoint {

    /** Returns the nodes of members, sorted. */
    public static List<NodeRef> refs(Collection<RaftEndpoint> members) {
        List<NodeRef> refs = new ArrayList<>();
        members.forEach(member -> refs.add(((RaftMember) member).ref()));
        refs.sort(null);
        return List.copyOf(refs);
    }

    /** Returns nodes as members, in their order. */
    public static List<RaftEndpoint> of(Collection<NodeRef> refs) {
        List<RaftEndpoint> members = new ArrayList<>();
        refs.forEach(ref -> members.add(new RaftMember(ref)));
        return members;
    }

    @Override
    public Object getId() {
        return ref.toString();
    }

    @Override
    public int hashCode() {
        return ref.toString().hashCode();
    }

    @Override
    public String toString() {
        return ref.toString();
    }
}
