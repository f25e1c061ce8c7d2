package io.dht4j.benchmarks.target;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.benchmarks.load.Target;
import java.util.List;

/** Opens targets. */
public final class Targets {

    private Targets() {}

    /**
     * Opens a target, which connects at its first operation.
     *
     * @param spec describes it
     * @return a target that the caller closes
     */
    public static Target open(TargetSpec spec) {
        return switch (spec.api()) {
            case HTTP -> HttpTarget.open(spec);
            case GRPC -> new GrpcTarget(spec);
        };
    }

    /**
     * Returns a target of clusters in this process, called in turn.
     *
     * @param members at least one; they outlive the target
     * @param options of every call; without a timeout the cluster's applies
     * @param valueBytes size of a value, 0 to {@link Values#MAX_BYTES}
     * @return a target whose {@code close} has no effect
     */
    public static Target embedded(List<? extends Cluster> members, CallOptions options, int valueBytes) {
        return new ClusterTarget(members, options, new Values(valueBytes));
    }
}
