package io.dht4j.core.internal.coordinator.node;

import io.dht4j.CallOptions;
import io.dht4j.ClockProblem;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Ordering;
import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.clock.PeerClocks;
import io.dht4j.core.internal.clock.VersionSource;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.Disagreements;
import io.dht4j.core.internal.coordinator.peer.FirstContact;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.coordinator.write.SupersededWrites;
import io.dht4j.core.internal.coordinator.write.VersionQuery;
import io.dht4j.core.internal.coordinator.write.WriteOperation;
import io.dht4j.core.internal.coordinator.write.WriteResult;
import io.dht4j.core.internal.coordinator.write.WriteServices;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Admits writes, assigns their versions and starts them. A write gets no version while this node's clock is not known
 * to be right, or others refuse this node for its settings. Its version is above all that this node has seen; a
 * linearizable write also queries the newest version of its keys first. Does not block; safe for use by any number of
 * threads.
 */
final class WriteCalls {

    private final NodeComponents components;
    private final Environment environment;
    private final ReplicaClient client;
    private final CallRules rules;
    private final Admission admission;
    private final Snapshots snapshots;
    private final VersionSource versions;
    private final PeerClocks clocks;
    private final FirstContact firstContact;
    private final Disagreements disagreements;
    private final WriteServices services;
    private final SupersededWrites superseded;

    WriteCalls(NodeRuntime runtime, NodeConfig config, CallRules rules, Admission admission) {
        this.components = runtime.local.components;
        this.environment = components.environment();
        this.client = runtime.peers.client;
        this.rules = rules;
        this.admission = admission;
        this.snapshots = runtime.local.snapshots;
        this.versions = runtime.local.versions;
        this.clocks = runtime.peers.clocks;
        this.firstContact = runtime.peers.firstContact;
        this.disagreements = runtime.peers.disagreements;
        this.superseded = new SupersededWrites(environment);
        this.services = new WriteServices(
                components,
                client,
                runtime.background.parked,
                runtime.deadlines,
                superseded,
                versions,
                config.limits().maxValueBytes());
    }

    /** Gives no second versions to writes any more. */
    void close() {
        superseded.close();
    }

    /** Starts a write of one value, and ends its observation. */
    CompletionStage<Version> put(Key key, byte[] value, CallOptions options, @Nullable ObservedCall observed) {
        return admit((long) key.length() + value.length, observed, result -> {
            long expiry = rules.expiry(options);
            rules.requireFits(key, value);
            // A copy: the store keeps the array, and the caller may use its own again.
            byte[] copy = value.clone();
            write(List.of(key), version -> List.of(Entry.value(key, version, copy, expiry)), options, result);
        });
    }

    /** Starts a write of one tombstone, and ends its observation. */
    CompletionStage<Version> delete(Key key, CallOptions options, @Nullable ObservedCall observed) {
        return admit(key.length(), observed, result -> {
            rules.refuseTimeToLive(options);
            write(List.of(key), version -> List.of(Entry.tombstone(key, version)), options, result);
        });
    }

    /** Starts a write of several values, and ends its observation. */
    CompletionStage<Version> putAll(
            Map<Key, byte[]> values, long bytes, CallOptions options, @Nullable ObservedCall observed) {
        return admit(bytes, observed, result -> {
            rules.requireBatch(values.size());
            long expiry = rules.expiry(options);
            values.forEach(rules::requireFits);
            Function<Version, List<Entry>> entriesOf = version -> {
                List<Entry> entries = new ArrayList<>(values.size());
                values.forEach((key, value) -> entries.add(Entry.value(key, version, value.clone(), expiry)));
                return entries;
            };
            write(List.copyOf(values.keySet()), entriesOf, options, result);
        });
    }

    private CompletionStage<Version> admit(long bytes, @Nullable ObservedCall observed, Consumer<WriteResult> work) {
        WriteResult result = new WriteResult(admission, bytes, observed);
        if (result.begin(snapshots)) {
            try {
                work.accept(result);
            } catch (RuntimeException | Error e) {
                result.fail(e);
            }
        }
        return result;
    }

    /** Starts a write of the entries that a function returns for a version, one for each key. */
    private void write(
            List<Key> keys, Function<Version, List<Entry>> entriesOf, CallOptions options, WriteResult result) {
        keys.forEach(rules::requirePlain);
        CallPolicy policy = rules.policy(options);
        Ordering ordering = rules.ordering(options, policy);
        CallContext context = rules.context(options);
        if (keys.isEmpty()) {
            result.succeed(versions.next());
        } else if (firstContact.isOver()
                && clocks.problem().isEmpty()
                && disagreements.problem().isEmpty()) {
            stampAndWrite(keys, entriesOf, policy, ordering, context, result);
        } else {
            whenDone(
                    awaitConfirmation(context),
                    result,
                    right -> stampAndWrite(keys, entriesOf, policy, ordering, context, result));
        }
    }

    /** Continues a write after a step; fails it if the step or the rest fails. */
    private static <T> void whenDone(CompletableFuture<T> step, WriteResult result, Consumer<T> rest) {
        step.whenComplete((value, error) -> {
            if (error != null) {
                result.fail(error);
                return;
            }
            try {
                rest.accept(value);
            } catch (RuntimeException | Error e) {
                result.fail(e);
            }
        });
    }

    /**
     * Returns a future that completes when this node's clock is known to be right. It fails, before anything has a
     * version or is kept anywhere, if the clock is wrong, others refuse this node for its settings, or the deadline is
     * near, so that the failure says why.
     */
    CompletableFuture<Void> awaitConfirmation(CallContext context) {
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        Environment.Timer deadline = environment.schedule(
                () -> waiting.completeExceptionally(new UnavailableException(
                        ErrorCode.NOT_SERVING,
                        "nothing done: no answer has confirmed in time that the clock of this node is right"
                                + firstContact.reasons())),
                context.remainingNanos() * 9 / 10);
        firstContact
                .over()
                .thenCompose(over -> clocks.confirmedProblem())
                .thenCompose(clock -> {
                    clock.ifPresent(WriteCalls::refuseClock);
                    return disagreements.confirmedProblem();
                })
                .whenComplete((settings, error) -> {
                    if (error != null) {
                        waiting.completeExceptionally(DhtException.unwrap(error));
                    } else if (settings.isPresent()) {
                        waiting.completeExceptionally(otherSettings(settings.get()));
                    } else {
                        waiting.complete(null);
                    }
                });
        return waiting.whenComplete((right, error) -> deadline.cancel());
    }

    private void stampAndWrite(
            List<Key> keys,
            Function<Version, List<Entry>> entriesOf,
            CallPolicy policy,
            Ordering ordering,
            CallContext context,
            WriteResult result) {
        if (ordering == Ordering.REAL_TIME) {
            writeAs(versions.next(), entriesOf, policy, ordering, context, result);
            return;
        }
        whenDone(VersionQuery.start(components, client, keys, policy, context, result.call()), result, newest -> {
            // The clock may have been set meanwhile.
            clocks.problem().ifPresent(WriteCalls::refuseClock);
            Version now = versions.current();
            Version least = now.compareTo(newest) > 0 ? now : newest;
            writeAs(versions.above(least), entriesOf, policy, ordering, context, result);
        });
    }

    private void writeAs(
            Version version,
            Function<Version, List<Entry>> entriesOf,
            CallPolicy policy,
            Ordering ordering,
            CallContext context,
            WriteResult result) {
        if (versions.isReserved(version)) {
            WriteOperation.start(services, entriesOf.apply(version), policy, ordering, context, result);
        } else {
            whenDone(
                    versions.reserve(version, context.remainingNanos()),
                    result,
                    reserved -> WriteOperation.start(
                            services, entriesOf.apply(version), policy, ordering, context, result));
        }
    }

    private static void refuseClock(ClockProblem problem) {
        throw wrongClock(problem);
    }

    private static UnavailableException otherSettings(String why) {
        return new UnavailableException(
                ErrorCode.PLACEMENT_MISMATCH,
                "nothing done: this node takes no writes, since " + why
                        + ". Make the settings equal on all nodes and restart, or ask another node");
    }

    private static UnavailableException wrongClock(ClockProblem problem) {
        return new UnavailableException(
                ErrorCode.CLOCK_CONTRADICTED, "nothing done: the clock of this node is " + problem);
    }
}
