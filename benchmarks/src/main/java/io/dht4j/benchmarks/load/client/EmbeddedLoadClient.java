package io.dht4j.benchmarks.load.client;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.Outcome;
import java.util.List;
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
    public CompletionStage<Outcome> start(Operation operation, long key) {
        Cluster member = members.get(turns.next());
        Key name = Key.of(KeyNames.of(key));
        return switch (operation) {
            case PUT -> member.put(name, values.of(key), options).thenApply(version -> Outcome.DONE);
            case GET -> member.get(name, options).thenApply(value -> value.isPresent() ? Outcome.DONE : Outcome.ABSENT);
        };
    }

    @Override
    public void close() {
        // The caller closes the clusters.
    }
}
