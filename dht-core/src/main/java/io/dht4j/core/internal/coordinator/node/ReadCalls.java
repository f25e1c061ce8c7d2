package io.dht4j.core.internal.coordinator.node;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.KeyReplica;
import io.dht4j.Ordering;
import io.dht4j.Value;
import io.dht4j.core.internal.admission.ByteBudget;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.coordinator.quorum.InternalErrors;
import io.dht4j.core.internal.coordinator.read.LocalFastRead;
import io.dht4j.core.internal.coordinator.read.ReadOperation;
import io.dht4j.core.internal.coordinator.read.ReadRepair;
import io.dht4j.core.internal.coordinator.read.ReadStage;
import io.dht4j.core.internal.coordinator.read.ReplicaQuery;
import io.dht4j.core.internal.coordinator.scan.Values;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Validates reads and starts them: from this node's memory where that is enough, else from the replicas. Does not
 * block; safe for use by any number of threads.
 */
final class ReadCalls {

    private static final Logger LOG = LoggerFactory.getLogger(ReadCalls.class);

    private final NodeComponents components;
    private final NodeConfig config;
    private final Environment environment;
    private final ReplicaClient client;
    private final CallRules rules;
    private final PartitionReadBarrier readBarrier;
    private final LocalFastRead localReads;
    private final ReadRepair readRepair;
    private final ByteBudget budget;
    private final Readiness readiness;

    ReadCalls(NodeRuntime runtime, NodeConfig config, CallRules rules, ByteBudget budget, Readiness readiness) {
        this.components = runtime.local.components;
        this.config = config;
        this.environment = components.environment();
        this.client = runtime.peers.client;
        this.rules = rules;
        this.readBarrier = runtime.local.readBarrier;
        this.localReads = new LocalFastRead(components, config.calls().readFanOut(), runtime.local.hotKeys);
        this.readRepair = new ReadRepair(config, client);
        this.budget = budget;
        this.readiness = readiness;
    }

    /** Starts a read of one key. Its caller ends the observation, which is null without an observer. */
    CompletableFuture<Optional<Value>> get(Key key, CallOptions options, @Nullable ObservedCall observed) {
        CallPolicy policy = rules.readPolicy(options);
        Ordering ordering = rules.ordering(options, policy);
        boolean mayBeLocal = readBarrier.isEmpty() && ordering == Ordering.REAL_TIME;
        Optional<Store.Held> held = mayBeLocal ? localReads.read(key, policy) : Optional.empty();
        // A partition that was closed meanwhile may have been read without its lost entries.
        return held.isPresent() && readBarrier.isEmpty()
                ? CompletableFuture.completedFuture(visible(held.get().entry()))
                : read(List.of(key), policy, options, observed, entries -> visible(entries.get(0)));
    }

    /** Asks each replica of a key for what it has. */
    CompletableFuture<List<KeyReplica>> replicas(Key key, CallOptions options) {
        return ReplicaQuery.start(components.view(), key, client, environment, rules.context(options));
    }

    /** Starts a read of different keys. */
    CompletableFuture<Map<Key, Value>> getAll(List<Key> keys, CallOptions options, @Nullable ObservedCall observed) {
        rules.requireBatch(keys.size());
        if (keys.isEmpty()) {
            rules.policy(options);
            return CompletableFuture.completedFuture(Map.of());
        }
        CallPolicy policy = rules.readPolicy(options);
        // Validates the ordering only: a read whose policy fits a linearizable one is linearizable.
        rules.ordering(options, policy);
        return read(keys, policy, options, observed, entries -> {
            Map<Key, Value> values = new LinkedHashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                Key key = keys.get(i);
                visible(entries.get(i)).ifPresent(value -> values.put(key, value));
            }
            return values;
        });
    }

    private <T> CompletableFuture<T> read(
            List<Key> keys,
            CallPolicy policy,
            CallOptions options,
            @Nullable ObservedCall observed,
            Function<List<Optional<Entry>>, T> finish) {
        boolean isStarting = readiness.isStarting();
        CallContext context = rules.context(options);
        ReadOperation operation = start(keys, policy, context, observed);
        ReadStage<T> stage = ReadStage.of(operation);
        operation.result().whenComplete((entries, error) -> {
            if (error != null && isStarting) {
                readWhenReady(keys, policy, context, observed, error)
                        .whenComplete((later, failure) -> settle(stage, finish, later, failure));
            } else {
                settle(stage, finish, entries, error);
            }
        });
        return stage;
    }

    private ReadOperation start(
            List<Key> keys, CallPolicy policy, CallContext context, @Nullable ObservedCall observed) {
        return ReadOperation.start(components, config, client, readRepair, budget, keys, policy, context, observed);
    }

    /** Reads again when this node is ready, in the time that is left; else fails as before. */
    private CompletableFuture<List<Optional<Entry>>> readWhenReady(
            List<Key> keys,
            CallPolicy policy,
            CallContext context,
            @Nullable ObservedCall observed,
            Throwable failure) {
        return readiness.after(failure, context.remainingNanos()).thenCompose(isWorthIt -> {
            long remaining = context.remainingNanos();
            // Another context, since the end of a read cancels its own.
            return isWorthIt && remaining > 0
                    ? start(keys, policy, new CallContext(environment::nanoTime, remaining), observed)
                            .result()
                    : CompletableFuture.failedFuture(DhtException.unwrap(failure));
        });
    }

    private static <T> void settle(
            ReadStage<T> stage,
            Function<List<Optional<Entry>>, T> finish,
            @Nullable List<Optional<Entry>> entries,
            @Nullable Throwable error) {
        if (error != null || entries == null) {
            stage.completeExceptionally(
                    error == null ? InternalErrors.of(new IllegalStateException("no entries")) : error);
            return;
        }
        try {
            stage.complete(finish.apply(entries));
        } catch (RuntimeException | Error e) {
            LOG.error("a read failed in an unexpected way", e);
            stage.completeExceptionally(InternalErrors.of(e));
        }
    }

    private Optional<Value> visible(Optional<Entry> entry) {
        return entry.filter(e -> e.isLive(environment.currentTimeMillis())).map(Values::of);
    }
}
