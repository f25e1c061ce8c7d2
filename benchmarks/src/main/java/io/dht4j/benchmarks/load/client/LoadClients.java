package io.dht4j.benchmarks.load.client;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.workload.ValueSizes;
import java.time.Duration;
import java.util.List;

/** Opens the clients of a load. */
public final class LoadClients {

    private LoadClients() {}

    /**
     * Opens a client, which connects at its first operation.
     *
     * @param spec describes it
     * @return a client that the caller closes
     */
    public static LoadClient open(ClientSpec spec) {
        return switch (spec.api()) {
            case HTTP -> HttpLoadClient.open(spec);
            case GRPC -> new GrpcLoadClient(spec);
            case EMBEDDED -> throw new IllegalArgumentException("a load of embedded clusters runs within their nodes");
        };
    }

    /**
     * Returns a client of a cluster in this process, which is not called over a wire.
     *
     * @param member outlives the client
     * @param spec of {@link ClientSpec.Api#EMBEDDED}: policy, timeout and sizes of values
     * @return a client whose {@code close} has no effect
     */
    public static LoadClient embedded(Cluster member, ClientSpec spec) {
        CallOptions timed = CallOptions.defaults().withTimeout(Duration.ofMillis(spec.timeoutMillis()));
        return embedded(
                List.of(member),
                spec.from() == 0 ? timed : timed.withPolicy(spec.ack(), spec.from()),
                ValueSizes.parse(spec.valueSizes()));
    }

    /**
     * Returns a client of clusters in this process, called round-robin.
     *
     * @param members at least one; they outlive the client
     * @param options of every call; without a timeout the cluster's applies
     * @param valueSizes sizes of values, at most {@link Values#MAX_BYTES}
     * @return a client whose {@code close} has no effect
     */
    public static LoadClient embedded(List<? extends Cluster> members, CallOptions options, ValueSizes valueSizes) {
        return new EmbeddedLoadClient(members, options, new Values(valueSizes));
    }
}
