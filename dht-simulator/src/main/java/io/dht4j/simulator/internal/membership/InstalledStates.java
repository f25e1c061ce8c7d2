package io.dht4j.simulator.internal.membership;

import io.dht4j.core.internal.membership.codec.MalformedStateException;
import io.dht4j.core.internal.membership.codec.StateCodec;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Slot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The states that the nodes of a simulated cluster have stored, which they do before they install one. Checks that an
 * epoch has one state, that a row version has one row, and that no node goes back. Confined to one thread.
 */
public final class InstalledStates {

    /** The version of the note's format and its sum. */
    private static final int HEAD_BYTES = 1 + Integer.BYTES;

    private final Map<Long, ClusterState> byEpoch = new HashMap<>();
    private final Map<RowId, List<Slot>> rows = new HashMap<>();
    private final Map<String, Long> epochs = new HashMap<>();
    private final Map<String, Long> installed = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private final List<Consumer<ClusterState>> listeners = new ArrayList<>();
    private Optional<ClusterState> newest = Optional.empty();

    private record RowId(int partition, long version) {}

    /** Creates an empty collection. */
    public InstalledStates() {}

    /** Adds a listener, which receives each state that is newer than all before. */
    public void listen(Consumer<ClusterState> listener) {
        listeners.add(listener);
    }

    /** Returns the newest state that any node has stored. */
    public Optional<ClusterState> newest() {
        return newest;
    }

    /** Returns the violations of the states. */
    public List<String> violations() {
        return violations;
    }

    /**
     * Adds a state that a node has stored.
     *
     * @param disk identifies the disk
     * @param note the note of the store
     */
    public void stored(String disk, byte[] note) {
        try {
            stored(disk, StateCodec.decode(Arrays.copyOfRange(note, HEAD_BYTES, note.length)));
        } catch (MalformedStateException e) {
            violations.add(disk + " has stored a malformed state: " + e.getMessage());
        }
    }

    /** Adds a state that a node has stored. */
    public void stored(String disk, ClusterState state) {
        Long before = epochs.put(disk, state.epoch());
        if (before != null && before > state.epoch()) {
            violations.add(disk + " has gone back from epoch " + Epoch.text(before) + " to " + state);
        }
        ClusterState same = byEpoch.putIfAbsent(state.epoch(), state);
        if (same != null) {
            if (!same.equals(state)) {
                violations.add("two states have one epoch: " + same + " and, on " + disk + ", " + state);
            }
            return;
        }
        checkRows(state);
        if (newest.isEmpty() || newest.get().epoch() < state.epoch()) {
            newest = Optional.of(state);
            listeners.forEach(listener -> listener.accept(state));
        }
    }

    /**
     * Adds the epoch that a node says it has installed.
     *
     * @param disk identifies the disk, which outlives the process
     * @param epoch the epoch
     */
    public void installed(String disk, long epoch) {
        long before = installed.getOrDefault(disk, 0L);
        if (before > epoch) {
            violations.add(disk + " has gone back from the installed epoch " + Epoch.text(before) + " to "
                    + Epoch.text(epoch));
        }
        installed.put(disk, Math.max(before, epoch));
    }

    private void checkRows(ClusterState state) {
        try {
            state.check();
        } catch (IllegalArgumentException e) {
            violations.add(state + " breaks an invariant: " + e.getMessage());
        }
        for (int partition = 0; partition < state.partitions(); partition++) {
            RowId id = new RowId(partition, state.rowVersion(partition));
            List<Slot> row = state.row(partition);
            List<Slot> same = rows.putIfAbsent(id, row);
            if (same != null && !same.equals(row)) {
                violations.add("partition " + partition + " has two rows of the version " + Epoch.text(id.version())
                        + ": " + same + " and " + row);
            }
        }
    }
}
