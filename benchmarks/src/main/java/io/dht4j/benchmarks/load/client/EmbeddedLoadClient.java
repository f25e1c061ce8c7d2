package io.dht4j.benchmarks.load.client;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Clusters in this process, called directly. */
final class EmbeddedLoadClient implements LoadClient {

    private final List<Cluster> members;
    private final CallOptions options;
    private final Values values;
    private final RoundRobin turns;

    EmbeddedLoadClient(List<? extends Cluster> members, CallOptions options, Values values) {
        this.members = List.copyOf(members);
        this.options = options;
        this.values = values;
        this.turns = new RoundRobin(members.size());
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        return next().get(name(key), options).thenApply(value -> value.isPresent() ? Outcome.DONE : Outcome.ABSENT);
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        return next().put(name(key), values.of(key, valueBytes), options).thenApply(version -> Outcome.DONE);
    }

    @Override
    public CompletionStage<Outcome> scan(long key, int entries) {
        Scan scan = next().scan(KeyRange.from(name(key)), ScanScope.CLUSTER, options);
        return read(scan, entries, Outcome.ABSENT).whenComplete((outcome, error) -> scan.close());
    }

    /** Reads pages until there are enough entries, or the range ends. */
    private static CompletionStage<Outcome> read(Scan scan, int entries, Outcome soFar) {
        return scan.next().thenCompose(page -> {
            Outcome outcome = page.isEmpty() ? soFar : Outcome.DONE;
            return page.isEmpty() || page.size() >= entries
                    ? CompletableFuture.completedFuture(outcome)
                    : read(scan, entries - page.size(), outcome);
        });
    }

    @Override
    public ValueSizes valueSizes() {
        return values.sizes();
    }

    private Cluster next() {
        return members.get(turns.next());
    }

    private static Key name(long key) {
        return Key.of(KeyNames.of(key));
    }

    @Override
    public void close() {
        // The caller closes the clusters.
    }
}
