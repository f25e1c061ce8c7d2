package io.dht4j.simulator.cluster.load;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.simulator.cluster.SimulatedCluster;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Calls at equal distances in virtual time through all nodes in turn, whatever becomes of them. */
final class OfferedLoad {

    private static final CallOptions TWO = CallOptions.defaults().withPolicy(2, 3);
    private static final int KEYS = 1000;

    private final SimulatedCluster cluster;
    private final Kind kind;
    private int calls;
    private int underWay;

    /** What is called. */
    enum Kind {
        READS,
        WRITES
    }

    /**
     * What came of a load, as far as it ended while it was offered.
     *
     * @param served calls that succeeded
     * @param failed calls that did not
     * @param seconds how long it was offered
     * @param mostUnderWay the most calls at a time that had not ended
     */
    record Outcome(int served, int failed, double seconds, int mostUnderWay) {

        double servedPerSecond() {
            return served / seconds;
        }
    }

    private static final class Tally {
        private int served;
        private int failed;
        private int most;
    }

    OfferedLoad(SimulatedCluster cluster, Kind kind) {
        this.cluster = cluster;
        this.kind = kind;
    }

    Outcome offer(int perSecond, Duration time) {
        Tally tally = new Tally();
        Duration step = Duration.ofSeconds(1).dividedBy(perSecond);
        long count = perSecond * time.toSeconds();
        for (long i = 0; i < count; i++) {
            underWay++;
            tally.most = Math.max(tally.most, underWay);
            call().whenComplete((done, error) -> {
                underWay--;
                if (error != null) {
                    tally.failed++;
                } else {
                    tally.served++;
                }
            });
            cluster.env.advance(step);
        }
        return new Outcome(tally.served, tally.failed, time.toSeconds(), tally.most);
    }

    private CompletionStage<?> call() {
        Cluster node = cluster.node(calls % cluster.nodes.size());
        Key key = Key.of("key" + calls % KEYS);
        calls++;
        return kind == Kind.READS ? node.get(key, TWO) : node.put(key, new byte[1000], TWO);
    }
}
