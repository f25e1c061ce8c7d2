package io.dht4j.benchmarks.target;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.benchmarks.load.Operation;
import io.dht4j.benchmarks.load.Outcome;
import io.dht4j.benchmarks.load.Target;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Clusters in this process, called directly. */
final class ClusterTarget implements Target {

    private final List<Cluster> members;
    private final CallOptions options;
    private final Values values;
    private final Turns turns;

    ClusterTarget(List<? extends Cluster> members, CallOptions options, Values values) {
        this.members = List.copyOf(members);
        this.options = options;
        this.values = values;
        this.turns = new Turns(members.size());
    }

    @Override
    public CompletionStage<Outcome> start(Operation operation, long key) {
        Cluster member = members.get(turns.next());
        Key name = Key.of(Names.of(key));
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
