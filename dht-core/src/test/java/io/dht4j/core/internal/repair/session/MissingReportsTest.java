package io.dht4j.core.internal.repair.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MissingReportsTest {

    private static final Node A = Node.of("a", "host:1");
    private static final Node B = Node.of("b", "host:2");
    private static final PartitionSet BOTH = PartitionSet.of(1, 2);

    private static final RepairException NOT_SENT = new RepairException(ErrorCode.NOT_SENT, "a: unreachable");
    private static final RepairException REFUSED = new RepairException(ErrorCode.NOT_SENT, true, "a: nothing listens");
    private static final RepairException SILENT = new RepairException(ErrorCode.DEADLINE_PASSED, "a: silent");

    private final MissingReports missing = new MissingReports(expected());

    private static Map<Node, PartitionSet> expected() {
        Map<Node, PartitionSet> expected = new LinkedHashMap<>();
        expected.put(A, BOTH);
        expected.put(B, PartitionSet.of(2, 3));
        return expected;
    }

    @Test
    void partitionIsUnsafeUntilAllItsReplicasHaveReported() {
        assertThat(missing.unsafe()).isEqualTo(PartitionSet.of(1, 2, 3));
        missing.reported("a", BOTH);
        assertThat(missing.unsafe()).isEqualTo(PartitionSet.of(2, 3));
        assertThat(missing.nodes()).containsExactly(B);
        missing.reported("b", PartitionSet.of(3));
        missing.reported("b", PartitionSet.of(2));
        assertThat(missing.unsafe()).isEqualTo(PartitionSet.empty());
        assertThat(missing.isEmpty()).isTrue();
    }

    @Test
    void reportOfAnUnknownNodeChangesNothing() {
        missing.reported("c", BOTH);
        assertThat(missing.unsafe()).isEqualTo(PartitionSet.of(1, 2, 3));
    }

    @Test
    void otherReportMakesUpForAnUnreachableNode() {
        missing.failed(A, NOT_SENT);
        assertThat(missing.unsafe()).isEqualTo(PartitionSet.of(1, 2, 3));
        missing.reported("b", PartitionSet.of(2, 3));
        assertThat(missing.unsafe()).isEqualTo(PartitionSet.of(1));
        assertThat(missing.areAllUnreachable()).isTrue();
        missing.failed(A, SILENT);
        assertThat(missing.unsafe()).isEqualTo(BOTH);
        assertThat(missing.areAllUnreachable()).isFalse();
    }

    @Test
    void nodesThatRefuseConnectionsAreCounted() {
        missing.failed(A, REFUSED);
        assertThat(missing.areAllRefusing()).isFalse();
        missing.failed(B, REFUSED);
        assertThat(missing.areAllRefusing()).isTrue();
        missing.failed(B, NOT_SENT);
        assertThat(missing.areAllRefusing()).isFalse();
    }

    @Test
    void replyDoesNotCountForPartitionsAddedMeanwhile() {
        assertThat(missing.beginRequest(A)).contains(BOTH);
        missing.expect(A, PartitionSet.of(1, 5), true);
        missing.reported("a", PartitionSet.of(1, 2, 5));
        assertThat(missing.beginRequest(A)).contains(PartitionSet.of(1, 5));
        missing.reported("a", PartitionSet.of(1, 5));
        assertThat(missing.beginRequest(A)).isEmpty();
    }
}
