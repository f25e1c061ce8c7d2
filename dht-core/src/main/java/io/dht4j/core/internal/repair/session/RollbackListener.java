package io.dht4j.core.internal.repair.session;

import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.rollback.RollbackDetector;
import java.util.function.Consumer;

/**
 * Passes on the detections of rolled-back disks.
 *
 * @param exchange asks the nodes whose reports are missing
 * @param returned receives the name of each node that has reported
 * @param catchUp repairs rolled-back partitions
 */
record RollbackListener(PurgeWatermarkExchange exchange, Consumer<String> returned, Runnable catchUp)
        implements RollbackDetector.Listener {

    @Override
    public void checked(String from, PartitionSet partitions) {
        exchange.checked(from, partitions);
        returned.accept(from);
    }

    @Override
    public void unproven(String from, PartitionSet partitions) {
        exchange.unproven(from, partitions);
    }

    @Override
    public void unknownDecision(PartitionSet partitions) {
        exchange.unknownDecision(partitions);
    }

    @Override
    public void rolledBack() {
        catchUp.run();
    }
}
