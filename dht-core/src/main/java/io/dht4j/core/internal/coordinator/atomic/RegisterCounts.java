package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.NodeGauges;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the operations on registers have cost this node. Safe for use by any number of threads. */
final class RegisterCounts {

    private final LongAdder forwarded = new LongAdder();
    private final LongAdder operations = new LongAdder();
    private final LongAdder rounds = new LongAdder();
    private final LongAdder led = new LongAdder();
    private final LongAdder repeated = new LongAdder();

    void forwarded() {
        forwarded.increment();
    }

    void begun(int attempts) {
        operations.add(attempts);
    }

    void round(boolean isLed) {
        rounds.increment();
        if (isLed) {
            led.increment();
        }
    }

    void repeated() {
        repeated.increment();
    }

    NodeGauges.AtomicOperations sum() {
        return new NodeGauges.AtomicOperations(
                forwarded.sum(), operations.sum(), rounds.sum(), led.sum(), repeated.sum());
    }
}
