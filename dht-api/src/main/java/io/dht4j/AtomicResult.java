package io.dht4j;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The result of an operation on an atomic key.
 *
 * @param isDone whether it was executed; false if its condition did not hold
 * @param isCreated whether the key held nothing before, and holds something now
 * @param version the version that the key got if this has changed it, and the one that it has otherwise; 0 if it has
 *     none
 * @param number the number of the counter afterwards, 0 if the key holds nothing; empty if it holds a value, and after
 *     operations on values
 * @param current what the key holds, a counter as decimal digits: after a read, and if the condition did not hold;
 *     empty if there is nothing, and after other operations
 */
public record AtomicResult(
        boolean isDone, boolean isCreated, Version version, OptionalLong number, Optional<Value> current) {

    /** Requires all. */
    public AtomicResult {
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(number, "number");
        Objects.requireNonNull(current, "current");
    }
}
