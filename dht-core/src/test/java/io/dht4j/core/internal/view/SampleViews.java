package io.dht4j.core.internal.view;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.HashFunctions;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Views of two nodes and two partitions. */
public final class SampleViews {

    public static final NodeId SELF = new NodeId("n0");
    public static final NodeId OTHER = new NodeId("n1");
    public static final Node FIRST = Node.of("n0", "host:1");
    public static final Node SECOND = Node.of("n1", "host:2");

    private SampleViews() {}

    /** A view whose rows have one replica each. */
    public static ClusterView view(long epoch, long firstVersion, long secondVersion) {
        return view(SELF, epoch, Row.stable(firstVersion, List.of(FIRST)), Row.stable(secondVersion, List.of(SECOND)));
    }

    public static ClusterView view(NodeId self, long epoch, Row... rows) {
        return ClusterView.agreed(
                new UUID(1, 1),
                self,
                new Topology(epoch, List.of(FIRST, SECOND)),
                HashFunctions.xxh3(),
                List.of(rows),
                Map.of(),
                Moves.NONE);
    }
}
