package io.dht4j.testkit.topology;

import static io.dht4j.testkit.topology.TopologyCluster.BOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLogException;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The base of the suites of the contract. */
interface TopologySuite {

    /** Returns the cluster of the test, which has no members yet. */
    TopologyCluster cluster();

    /** Opens another cluster, which the contract closes. */
    TopologyCluster anotherCluster();

    /** Returns after how many commands a snapshot is taken, roughly. */
    int snapshotCommands();

    /** Waits for the failure of a call. */
    default TopologyLogException failure(CompletionStage<?> call) {
        TopologyLogException failure = catchThrowableOfType(
                TopologyLogException.class, () -> cluster().time().await(call, BOUND));
        assertThat(failure).as("the failure").isNotNull();
        return failure;
    }

    /** Returns the other members. */
    static List<NodeRef> without(List<NodeRef> members, NodeRef one) {
        return members.stream().filter(member -> !member.equals(one)).toList();
    }
}
