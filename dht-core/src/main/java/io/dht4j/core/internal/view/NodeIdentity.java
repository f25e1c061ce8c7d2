package io.dht4j.core.internal.view;

import static java.util.Objects.requireNonNull;

import java.util.UUID;

/**
 * The identity of a node, which distinguishes it from every other one that has or had its name or its address.
 *
 * @param number the node's number in the cluster, 0 or more, never reused
 * @param incarnation identifies the node's data directory
 */
public record NodeIdentity(int number, UUID incarnation) {

    /** Checks the number. */
    public NodeIdentity {
        requireNonNull(incarnation, "incarnation");
        if (number < 0) {
            throw new IllegalArgumentException("the number of a node is 0 or more, not " + number);
        }
    }

    @Override
    public String toString() {
        return "number " + number + ", incarnation " + incarnation;
    }
}
