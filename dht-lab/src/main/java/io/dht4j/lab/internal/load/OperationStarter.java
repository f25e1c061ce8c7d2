package io.dht4j.lab.internal.load;

import io.dht4j.lab.workload.KeySpace;
import io.dht4j.lab.workload.OperationGenerator;
import io.dht4j.lab.workload.OperationKind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Begins the operations of a load on its client, one after another. Confined to one thread, or to a slot of a closed
 * loop.
 */
public final class OperationStarter {

    private final LoadClient client;
    private final KeySpace space;
    private final OperationGenerator operations;

    /**
     * Creates an instance that has begun none.
     *
     * @param client receives the operations
     * @param operation the kind of operations
     * @param space the keys, shared by all threads of the load
     * @param seed instances of the same seed and space begin the same operations
     */
    public OperationStarter(LoadClient client, Operation operation, KeySpace space, long seed) {
        this.client = client;
        this.space = space;
        this.operations = operation.workload(client.valueSizes()).generator(space, seed);
    }

    /**
     * Begins the next operation. A client's exception fails the stage.
     *
     * @return completes as {@link LoadClient} says. A read-modify-write writes after its read, also an absent key,
     *     which it reports
     */
    public CompletionStage<Outcome> next() {
        OperationKind kind = operations.next();
        long key = operations.key();
        CompletionStage<Outcome> begun;
        try {
            begun = begin(kind, key);
        } catch (RuntimeException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        return kind == OperationKind.INSERT ? begun.whenComplete((outcome, error) -> space.endInsert(key)) : begun;
    }

    private CompletionStage<Outcome> begin(OperationKind kind, long key) {
        return switch (kind) {
            case GET -> client.get(key);
            case PUT, UPDATE, INSERT -> client.put(key, operations.valueBytes());
            case SCAN -> client.scan(key, operations.scanLength());
            case READ_MODIFY_WRITE -> {
                int bytes = operations.valueBytes();
                yield client.get(key).thenCompose(read -> client.put(key, bytes).thenApply(written -> read));
            }
        };
    }

    /** Omits the next operation: the later ones are as if it had come. */
    public void skip() {
        operations.skip();
    }

    /** Returns the kind of the last operation. */
    public OperationKind kind() {
        return operations.kind();
    }
}
