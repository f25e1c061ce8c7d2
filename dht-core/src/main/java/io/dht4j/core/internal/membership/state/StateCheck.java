package io.dht4j.core.internal.membership.state;

import io.dht4j.NodeId;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Phase;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Checks the invariants of a state that its constructors do not check. */
final class StateCheck {

    private final ClusterState state;
    private final MemberList members;

    StateCheck(ClusterState state) {
        this.state = state;
        this.members = state.members();
    }

    void run() {
        checkMembers();
        checkRows();
        checkBatches();
        checkRecoveries();
    }

    private void checkRecoveries() {
        long last = 0;
        for (long base : state.recoveredFrom()) {
            require(
                    Epoch.isValid(base)
                            && Epoch.generation(base) > Epoch.generation(last)
                            && Epoch.generation(base) < Epoch.generation(state.epoch()),
                    "a generation was recovered from epoch " + Epoch.text(base) + " at epoch "
                            + Epoch.text(state.epoch()));
            last = base;
        }
    }

    private void checkMembers() {
        Set<NodeId> names = new HashSet<>();
        Set<UUID> incarnations = new HashSet<>();
        Set<String> addresses = new HashSet<>();
        for (Member member : members.all()) {
            boolean named = member.lifecycle() == Lifecycle.ADMITTED
                    || member.lifecycle().isPresent();
            require(!named || names.add(member.name()), "the name of " + member + " stands twice");
            require(
                    member.incarnation().map(incarnations::add).orElse(true),
                    "the incarnation of " + member + " stands twice");
            require(
                    !member.lifecycle().isPresent()
                            || addresses.add(member.details().address()),
                    "the address of " + member + " stands twice");
        }
    }

    private void checkRows() {
        SlotTable slots = state.slots();
        // A member occurs in a row if its entry is the row's number plus one.
        int[] seen = new int[members.size() + 1];
        for (int partition = 0; partition < state.partitions(); partition++) {
            long version = state.rowVersion(partition);
            // The messages are made only when needed: there may be a million rows.
            if (!Epoch.isValid(version) || version > state.epoch()) {
                throw new IllegalArgumentException("partition " + partition + " has the version " + Epoch.text(version)
                        + " at epoch " + Epoch.text(state.epoch()));
            }
            int width = slots.width(partition);
            for (int slot = 0; slot < width; slot++) {
                int owner = slots.owner(partition, slot);
                if (!members.has(owner) || !members.get(owner).lifecycle().mayOwn()) {
                    throw new IllegalArgumentException(
                            "partition " + partition + " has a slot at member " + owner + ", which may own none");
                }
                if (seen[owner] == partition + 1) {
                    throw new IllegalArgumentException("partition " + partition + " has two slots at member " + owner);
                }
                seen[owner] = partition + 1;
            }
        }
    }

    private void checkBatches() {
        long before = Epoch.NONE;
        for (Batch batch : state.batches()) {
            require(batch.id() > before && batch.id() <= state.epoch(), batch + " is out of order or too new");
            before = batch.id();
            require(members.has(batch.from()) && members.has(batch.to()), batch + " has an unknown member");
            Lifecycle from = members.get(batch.from()).lifecycle();
            Lifecycle to = members.get(batch.to()).lifecycle();
            if (batch.phase() == Phase.FILL) {
                require(from == Lifecycle.DEAD, batch + " fills for a member that is " + from);
                require(to.mayOwn(), batch + " fills a member that is " + to);
            } else {
                require(from.isPresent() && to.isPresent(), batch + " moves from " + from + " to " + to);
            }
            batch.partitions().forEach(partition -> checkMove(batch, partition));
        }
    }

    private void checkMove(Batch batch, int partition) {
        SlotTable slots = state.slots();
        if (slots.slotOf(partition, batch.owner()) < 0) {
            throw new IllegalArgumentException(batch + " moves a slot of partition " + partition + ", of which member "
                    + batch.owner() + " owns none");
        }
        if (batch.phase() != Phase.FILL && slots.slotOf(partition, batch.to()) >= 0) {
            throw new IllegalArgumentException(
                    batch + " gives member " + batch.to() + " a second slot of partition " + partition);
        }
        int width = slots.width(partition);
        if (batch.phase() == Phase.GROW
                && (width == slots.width() || slots.owner(partition, width - 1) != batch.from())) {
            throw new IllegalArgumentException(batch + " adds a slot to partition " + partition + ", of which "
                    + (width == slots.width() ? "none is vacant" : "member " + batch.from() + " has not the last one"));
        }
        if (state.rowVersion(partition) < batch.id()) {
            throw new IllegalArgumentException("partition " + partition + " has a version older than " + batch);
        }
    }

    private static void require(boolean holds, String violation) {
        if (!holds) {
            throw new IllegalArgumentException(violation);
        }
    }
}
