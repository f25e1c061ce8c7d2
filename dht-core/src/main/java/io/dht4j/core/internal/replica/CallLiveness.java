package io.dht4j.core.internal.replica;

import java.util.function.BooleanSupplier;

/**
 * Whether the answer to a request is still needed.
 *
 * @param expired whether its deadline has passed
 * @param cancelled whether its caller has cancelled it
 */
public record CallLiveness(BooleanSupplier expired, BooleanSupplier cancelled) {

    boolean isExpired() {
        return expired.getAsBoolean();
    }

    boolean isOver() {
        return cancelled.getAsBoolean() || expired.getAsBoolean();
    }
}
