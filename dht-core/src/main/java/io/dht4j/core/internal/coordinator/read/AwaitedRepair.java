package io.dht4j.core.internal.coordinator.read;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.spi.Entry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A repair that a read waits for. It is repeated, until the read ends, while a node that takes over a slot does not
 * accept entries yet. If a newer table is needed, the key is read again instead.
 */
final class AwaitedRepair implements Repair.Outcome {

    private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

    private final ReadOperation operation;
    private final KeyRead read;
    private final Entry entry;
    private final List<Node> holders;

    AwaitedRepair(ReadOperation operation, KeyRead read, Entry entry, List<Node> holders) {
        this.operation = operation;
        this.read = read;
        this.entry = entry;
        this.holders = holders;
    }

    /** Returns the repair, to be sent now. */
    Repair first() {
        return read.repairBefore(entry, holders, this);
    }

    @Override
    public void repaired() {
        operation.finish(read, Optional.of(entry));
    }

    @Override
    public void failed(String why, @Nullable PeerFailure refusal) {
        operation.continueByNewest(read, refusal, () -> {
            if (refusal != null && refusal.code() == ErrorCode.REPLICA_REFILLING) {
                operation.repairLater(first(), PAUSE_NANOS);
            } else {
                operation.fail("read failed: the newest entry is on too few replicas and could not be brought to more; "
                        + why);
            }
        });
    }
}
