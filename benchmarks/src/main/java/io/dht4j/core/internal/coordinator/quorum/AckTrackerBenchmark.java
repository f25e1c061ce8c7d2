package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.ReplicationPolicy;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Counts the answers of an operation's replicas by one thread, the usual case. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AckTrackerBenchmark {

    /** The policy's {@code from}; {@code ack} is the majority. */
    @Param({"1", "3", "5"})
    public int from;

    private ReplicationPolicy policy = ReplicationPolicy.majorityOf(1);

    /** Creates the benchmark; for JMH. */
    public AckTrackerBenchmark() {}

    /** Makes the policy. */
    @Setup
    public void prepare() {
        policy = ReplicationPolicy.majorityOf(from);
    }

    /**
     * Counts the answers of all replicas.
     *
     * @return the number of outcomes: 1
     */
    @Benchmark
    public int everyReplicaAnswers() {
        AckTracker tracker = new AckTracker(policy);
        int outcomes = 0;
        for (int i = 0; i < from; i++) {
            outcomes += tracker.ack() ? 1 : 0;
        }
        return outcomes;
    }
}
