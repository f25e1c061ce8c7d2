package io.dht4j.simulator.cluster.membership;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.simulator.cluster.SimulatedCluster;
import java.util.Optional;

/**
 * A slot of a partition of an agreed cluster, in each phase. All nodes agree on it; the heir has what it is to have.
 */
abstract class PhasesOfASlot {

    static final int MOVING = 0;
    static final int OWNER = 0;
    static final int SECOND = 1;
    static final int THIRD = 2;
    static final int HEIR = 3;
    static final byte[] OLD = {1};
    static final byte[] NEW = {2};
    static final CallOptions ALONE = CallOptions.defaults().withPolicy(1, 1);
    static final CallOptions ONE = CallOptions.defaults().withPolicy(1, 3);
    static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);
    static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    final AgreedCluster agreed = AgreedCluster.start();
    final SimulatedCluster cluster = agreed.cluster;
    final Key key = agreed.key(MOVING);

    /** Gives the slot a phase. The heir has copied what there is. */
    void move(Phase phase) {
        agreed.move(MOVING, 0, phase, HEIR);
        agreed.installAtAll();
        if (phase == Phase.COPY || phase == Phase.GROW || phase == Phase.FILL) {
            cluster.env.runUntil(() -> agreed.isComplete(HEIR, MOVING), SimulatedCluster.BOUND);
        }
    }

    Optional<byte[]> get(int node, CallOptions options) {
        return cluster.await(cluster.node(node).get(key, options)).map(Value::bytes);
    }

    static int reader(Phase phase) {
        return phase == Phase.BOTH ? HEIR : OWNER;
    }

    static int other(int node) {
        return node == OWNER ? HEIR : OWNER;
    }
}
