package io.dht4j.topology.microraft;

import io.dht4j.Ranges;
import io.dht4j.spi.NodeRef;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * The options of a member of the topology's agreement. Immutable.
 *
 * @param self this member
 * @param initialMembers the members at the formation of the group: 1, 3, 5 or 7, always the same and in the same order
 *     at every node, also at nodes that become members later. On a directory with a log, the list in the log is used
 *     instead
 * @param directory the directory of the log; created if it does not exist, but not its parent. If it is emptied, give
 *     the node a new incarnation too
 * @param heartbeatSeconds how often a leader reports to the others; 1 to 60. Shorter finds failures earlier and costs
 *     idle traffic, some 200 bytes each time to and from each member
 * @param silenceSeconds the time without a report after which the others elect a new leader. After the same time
 *     without an answer a leader considers a member silent, and steps down if a majority is; at least twice
 *     {@code heartbeatSeconds} and at most 600. Shorter interrupts changes of the topology for less time; too short
 *     causes elections when a disk or processor is slow
 * @param snapshotEntries the number of entries after which a snapshot replaces the log; 10 to 100,000. 16 MiB of
 *     entries have the same effect
 */
public record MicroRaftOptions(
        NodeRef self,
        List<NodeRef> initialMembers,
        Path directory,
        int heartbeatSeconds,
        int silenceSeconds,
        int snapshotEntries) {

    private static final int MOST_MEMBERS = 7;

    /**
     * Checks the ranges, and keeps a copy of the list.
     *
     * @throws IllegalArgumentException if a value is out of its range
     */
    public MicroRaftOptions {
        Objects.requireNonNull(self, "self");
        Objects.requireNonNull(directory, "directory");
        initialMembers = List.copyOf(initialMembers);
        requireMembers("initialMembers", initialMembers);
        Ranges.require("heartbeatSeconds", heartbeatSeconds, 1, 60);
        Ranges.require("silenceSeconds", silenceSeconds, 2L * heartbeatSeconds, 600);
        Ranges.require("snapshotEntries", snapshotEntries, 10, 100_000);
    }

    /**
     * Returns the usual options: reports every second, elections after 5 s of silence, and snapshots after 5,000
     * entries.
     *
     * @param self this member
     * @param initialMembers the members at the formation of the group
     * @param directory where the log is
     * @return the options
     * @throws IllegalArgumentException if there are not 1, 3, 5 or 7 different members
     */
    public static MicroRaftOptions of(NodeRef self, List<NodeRef> initialMembers, Path directory) {
        return new MicroRaftOptions(self, initialMembers, directory, 1, 5, 5_000);
    }

    /**
     * Returns these options with other times.
     *
     * @param heartbeat seconds between reports of the leader
     * @param silence seconds without a report until an election
     * @return a copy
     * @throws IllegalArgumentException if one is out of its range
     */
    public MicroRaftOptions withTimes(int heartbeat, int silence) {
        return new MicroRaftOptions(self, initialMembers, directory, heartbeat, silence, snapshotEntries);
    }

    /**
     * Returns these options with another interval of snapshots.
     *
     * @param entries after how many entries
     * @return a copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public MicroRaftOptions withSnapshotEntries(int entries) {
        return new MicroRaftOptions(self, initialMembers, directory, heartbeatSeconds, silenceSeconds, entries);
    }

    /** Refuses another number of members than 1, 3, 5 or 7, and repeated ones. */
    static void requireMembers(String what, List<NodeRef> members) {
        if (members.size() % 2 == 0 || members.size() > MOST_MEMBERS) {
            throw new IllegalArgumentException(what + " must be 1, 3, 5 or 7 members, not " + members.size());
        }
        if (new HashSet<>(members).size() < members.size()) {
            throw new IllegalArgumentException(what + " names a member twice: " + members);
        }
    }
}
