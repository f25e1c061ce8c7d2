package io.dht4j.core.internal.replica;

import io.dht4j.NodeId;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.spi.Environment;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the version slots of members without a store. Of two members with the same slot, the one whose name sorts
 * first holds it, equally on every node, until it has been silent for a minute. Writes of the other one are refused.
 * Does not block; safe for use by any number of threads.
 */
public final class SlotHolders {

    /** Versions of one slot that are issued so far apart do not collide. */
    private static final long SILENT_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The shortest time between updates of a holder's time. */
    private static final long PRECISION_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final VersionSlots slots;
    private final Environment environment;
    private final AtomicReferenceArray<@Nullable Holder> holders;

    private record Holder(NodeId member, long heardNanos) {}

    /**
     * Creates an object in which no slot is held.
     *
     * @param slots the slot of each member
     * @param environment provides the monotonic clock
     */
    public SlotHolders(VersionSlots slots, Environment environment) {
        this.slots = slots;
        this.environment = environment;
        this.holders = new AtomicReferenceArray<>(slots.count());
    }

    /**
     * Records a request of a member.
     *
     * @param sender a node or a member without a store
     * @return the other member that holds its slot; empty if it holds the slot itself, or is a node
     */
    Optional<NodeId> otherHolder(NodeId sender) {
        if (slots.isNode(sender)) {
            return Optional.empty();
        }
        int slot = slots.of(sender);
        long now = environment.nanoTime();
        while (true) {
            Holder holder = holders.get(slot);
            boolean isHeld = holder != null && now - holder.heardNanos() < SILENT_NANOS;
            if (isHeld && holder.member().equals(sender)) {
                if (now - holder.heardNanos() < PRECISION_NANOS) {
                    return Optional.empty();
                }
            } else if (isHeld && holder.member().value().compareTo(sender.value()) < 0) {
                return Optional.of(holder.member());
            }
            if (holders.compareAndSet(slot, holder, new Holder(sender, now))) {
                return Optional.empty();
            }
        }
    }
}
