package io.dht4j.testkit.topology;

import io.dht4j.spi.NodeRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The shared state of the logs of one perfect group, as if each disk held it: the agreed commands, the members and the
 * leader. Confined to the thread of the virtual environment.
 */
public final class ModelTopologyGroup {

    /** A snapshot after so many commands. */
    private final int snapshotCommands;

    final List<byte[]> commands = new ArrayList<>();
    final Set<NodeRef> removed = new HashSet<>();
    /** The members with non-empty disks. */
    private final Set<NodeRef> used = new HashSet<>();

    /** The ends of the logs of members whose disks have lost later entries. */
    private final Map<NodeRef, Long> ends = new HashMap<>();

    /** In order. */
    List<NodeRef> members;

    @Nullable
    NodeRef leader;

    /** When the leader has last heard from a majority, in nanoseconds. */
    long leaderHeardNanos;

    byte @Nullable [] snapshot;
    long snapshotIndex;

    /**
     * Creates a group without agreed commands.
     *
     * @param members the members at its formation
     * @param snapshotCommands the number of commands after which a snapshot is taken, 1 or more
     */
    public ModelTopologyGroup(List<NodeRef> members, int snapshotCommands) {
        this.members = members.stream().sorted().toList();
        this.snapshotCommands = snapshotCommands;
    }

    /** Returns whether a member's disk was empty, which it no longer is. */
    boolean begin(NodeRef member) {
        return used.add(member);
    }

    /**
     * Empties the disk of a member whose log is closed.
     *
     * @param member any node
     */
    public void loseDisk(NodeRef member) {
        used.remove(member);
    }

    /**
     * Cuts the disk of a member with a closed log behind an index.
     *
     * @param member any node
     * @param index the last remaining entry, 0 or more
     */
    public void cutDisk(NodeRef member, long index) {
        ends.put(member, index);
    }

    long durableIndex(NodeRef member) {
        return Math.min(ends.getOrDefault(member, Long.MAX_VALUE), commands.size());
    }

    long agree(byte[] command) {
        commands.add(command);
        return commands.size();
    }

    boolean needsSnapshot() {
        return commands.size() - snapshotIndex >= snapshotCommands;
    }

    boolean isMajority(Set<NodeRef> some) {
        int among = 0;
        for (NodeRef member : members) {
            among += some.contains(member) ? 1 : 0;
        }
        return among > members.size() / 2;
    }
}
