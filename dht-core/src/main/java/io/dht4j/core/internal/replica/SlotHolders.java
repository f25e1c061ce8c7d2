package io.dht4j.core.internal.replica;

import io.dht4j.NodeId;
import io.dht4j.core.internal.clock.VersionSlots;
import io.dht4j.spi.Environment;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Which members without a store give versions of which slots. Of two that have one slot, the one whose name comes first
 * holds it, on every node alike, until it has been silent for a minute; what the other one writes is refused. Does not
 * block; safe for use by any number of threads.
 */
public final class SlotHolders {

    /** Versions of one slot that are given so far apart do not meet. */
    private static final long SILENT_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** A holder's time is not written more often. */
    private static final long PRECISION_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final VersionSlots slots;
    private final Environment environment;
    private final AtomicReferenceArray<@Nullable Holder> holders;

    private record Holder(NodeId member, long heardNanos) {}

    /**
     * Slots that nobody holds yet.
     *
     * @param slots which slot a member has
     * @param environment its steady clock
     */
    public SlotHolders(VersionSlots slots, Environment environment) {
        this.slots = slots;
        this.environment = environment;
        this.holders = new AtomicReferenceArray<>(slots.count());
    }

    /**
     * Somebody has sent a request.
     *
     * @param sender a node or a member without a store
     * @return the other member that holds its slot; empty if it holds it itself, or is a node
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
