package io.dht4j.core.internal.coordinator.node;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.Ordering;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.atomic.AtomicOptions;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Checks the arguments of calls: each method fills in a default, or refuses an argument out of range with an error that
 * names the range. Immutable.
 */
final class CallRules {

    private final Environment environment;
    private final LongSupplier nanoTime;
    private final NodeConfig config;
    private final Views views;

    CallRules(NodeComponents components, NodeConfig config) {
        this.environment = components.environment();
        this.nanoTime = environment::nanoTime;
        this.config = config;
        this.views = components.views();
    }

    /** Returns the majority of the replicas that every key has. */
    ReplicationPolicy defaultPolicy() {
        return ReplicationPolicy.majorityOf(views.current().narrowest());
    }

    CallContext context(CallOptions options) {
        Duration timeout = options.timeout().orElse(config.calls().timeout());
        return new CallContext(nanoTime, timeout.toNanos());
    }

    /** Returns the policy of a call that takes no time to live. */
    CallPolicy readPolicy(CallOptions options) {
        refuseTimeToLive(options);
        return policy(options);
    }

    /** Returns the policy of a call. A partition never gets fewer replicas, so later views leave room for it, too. */
    CallPolicy policy(CallOptions options) {
        AtomicOptions.refuseRequestId(options);
        options.policy().ifPresent(this::requireReplicas);
        return CallPolicy.of(options.policy());
    }

    private void requireReplicas(ReplicationPolicy policy) {
        ClusterView view = views.current();
        if (policy.from() > view.maxReplicas()) {
            throw new InvalidRequestException(
                    ErrorCode.POLICY_INVALID,
                    "a policy needs 1 <= ack <= from <= " + view.maxReplicas() + " (the number of "
                            + (view.hasRowVersions() ? "replicas of a key" : "nodes") + "), not "
                            + named(policy)
                            + (view.isGrowing()
                                    ? "; more replicas are being made: wait until all partitions have them"
                                    : ""));
        }
    }

    private static String named(ReplicationPolicy policy) {
        return "ack=" + policy.ack() + ", from=" + policy.from();
    }

    /** Returns the ordering of a call, which must fit its policy. */
    Ordering ordering(CallOptions options, CallPolicy policy) {
        Ordering ordering = options.ordering().orElse(config.calls().ordering());
        if (ordering == Ordering.LINEARIZABLE && !policy.isMajority()) {
            throw new InvalidRequestException(
                    ErrorCode.POLICY_INVALID,
                    "a linearizable call needs a majority, 2 * ack > from, not "
                            + options.policy().map(CallRules::named).orElseThrow());
        }
        return ordering;
    }

    /** Refuses an ordering, which scans and snapshots do not take. */
    void refuseOrdering(CallOptions options) {
        if (options.ordering().isPresent()) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "an ordering is for get, put and delete and their batches only");
        }
    }

    /** Returns the expiry of an entry that is written now, in milliseconds since 1970. */
    long expiry(CallOptions options) {
        Optional<Duration> timeToLive = options.timeToLive();
        return timeToLive.isEmpty()
                ? Entry.NEVER
                : environment.currentTimeMillis() + timeToLive.get().toMillis();
    }

    void refuseTimeToLive(CallOptions options) {
        if (options.timeToLive().isPresent()) {
            throw new InvalidRequestException(ErrorCode.TTL_INVALID, "a time to live is for put and putAll only");
        }
    }

    void requirePlain(Key key) {
        if (AtomicSpace.contains(key)) {
            throw new InvalidRequestException(ErrorCode.ATOMIC_KEY, AtomicSpace.refusal(key));
        }
    }

    void requireFits(Key key, byte[] value) {
        if (value.length > config.limits().maxValueBytes()) {
            throw new InvalidRequestException(
                    ErrorCode.VALUE_TOO_LARGE,
                    "a value has at most " + config.limits().maxValueBytes() + " bytes, that of key " + key + " has "
                            + value.length);
        }
    }

    void requireBatch(int size) {
        if (size > config.limits().maxBatch()) {
            throw new InvalidRequestException(
                    ErrorCode.BATCH_TOO_LARGE,
                    "a batch has at most " + config.limits().maxBatch() + " keys, not " + size);
        }
    }

    void requirePartition(int partition) {
        int partitions = views.current().partitions();
        if (partition < 0 || partition >= partitions) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "a partition is 0 to " + (partitions - 1) + ", not " + partition);
        }
    }
}
