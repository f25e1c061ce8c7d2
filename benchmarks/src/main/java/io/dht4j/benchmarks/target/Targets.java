package io.dht4j.benchmarks.target;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.benchmarks.load.Target;
import java.util.List;

/** Opens targets. */
public final class Targets {

    private Targets() {}

    /**
     * Opens a target. Connects when it is first asked for an operation.
     *
     * @param spec which
     * @return to be closed by the caller
     */
    public static Target open(TargetSpec spec) {
        return switch (spec.api()) {
            case HTTP -> HttpTarget.open(spec);
            case GRPC -> new GrpcTarget(spec);
        };
    }

    /**
     * Clusters in this process, called in turn.
     *
     * @param members at least one; not closed with the target
     * @param options of every call; with a timeout, or the cluster's own counts
     * @param valueBytes size of a value, 0 to {@link Values#MAX_BYTES}
     * @return a target whose closing does nothing
     */
    public static Target embedded(List<? extends Cluster> members, CallOptions options, int valueBytes) {
        return new ClusterTarget(members, options, new Values(valueBytes));
    }
}
