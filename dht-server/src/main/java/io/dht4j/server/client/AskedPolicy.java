package io.dht4j.server.client;

import io.dht4j.Ordering;
import io.dht4j.ReplicationPolicy;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The part of a policy that a request contains: the number of replicas that must answer, and the order of the
 * operations on a key. The node completes it.
 *
 * @param ack how many must answer; empty for a majority of {@code from}
 * @param from of how many; empty for the cluster's replication factor
 * @param ordering in which order; empty for the cluster's own
 */
public record AskedPolicy(OptionalInt ack, OptionalInt from, Optional<Ordering> ordering) {

    /** The cluster's own policy. */
    public static final AskedPolicy DEFAULT = new AskedPolicy(OptionalInt.empty(), OptionalInt.empty());

    /**
     * Checks the counts without the cluster.
     *
     * @throws io.dht4j.InvalidRequestException if no cluster could have such a policy
     */
    public AskedPolicy {
        if (ack.isPresent() || from.isPresent()) {
            new ReplicationPolicy(ack.orElse(1), from.orElse(ack.orElse(1)));
        }
    }

    /**
     * Creates a policy in the cluster's own order.
     *
     * @param ack how many must answer; empty for a majority of {@code from}
     * @param from of how many; empty for the cluster's replication factor
     * @throws io.dht4j.InvalidRequestException if no cluster could have such a policy
     */
    public AskedPolicy(OptionalInt ack, OptionalInt from) {
        this(ack, from, Optional.empty());
    }

    /** Returns the policy as parameters, each with an ampersand before it. */
    String query() {
        return (ack.isPresent() ? "&ack=" + ack.getAsInt() : "")
                + (from.isPresent() ? "&from=" + from.getAsInt() : "")
                + ordering.map(order -> "&ordering="
                                + order.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                        .orElse("");
    }
}
