package io.dht4j.core.internal.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.Node;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RowTest {

    private static final Node A = Node.of("a", "a:1");
    private static final Node B = Node.of("b", "b:1");
    private static final Node C = Node.of("c", "c:1");
    private static final Node N = Node.of("n", "n:1");

    private static Row moving(Phase phase) {
        return Row.of(
                7,
                List.of(
                        ReplicaSlot.stable(A),
                        new ReplicaSlot(phase, phase.isOfTwo() ? B : N, N),
                        ReplicaSlot.stable(C)));
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "BOTH", "UNDO"})
    void movingSlotHasBothNodesAmongTheFirstSlots(Phase phase) {
        Row row = moving(phase);
        assertThat(row.nodes()).containsExactly(A, B, N, C);
        assertThat(row.nodes(1)).containsExactly(A);
        assertThat(row.nodes(2)).containsExactly(A, B, N);
        assertThat(row.nodes(3)).containsExactly(A, B, N, C);
        assertThat(row.moving(1)).isEmpty();
        assertThat(row.moving(2)).contains(new ReplicaSlot(phase, B, N));
        assertThat(row.slots())
                .containsExactly(ReplicaSlot.stable(A), new ReplicaSlot(phase, B, N), ReplicaSlot.stable(C));
        assertThat(row.isMoving()).isTrue();
        assertThat(row.width()).isEqualTo(3);
    }

    @Test
    void theSlotOfADeadOwnerIsTheHeirsAndIsNotRead() {
        Row row = moving(Phase.FILL);
        assertThat(row.nodes(2)).containsExactly(A, N);
        assertThat(row.nodes()).containsExactly(A, N, C);
        assertThat(row.moving(3).orElseThrow().reader()).isEmpty();
        assertThat(row.slots().get(1)).hasToString("FILL(n)");
    }

    @Test
    void aMovingSlotIsReadFromTheOwnerUntilBothAreComplete() {
        assertThat(new ReplicaSlot(Phase.COPY, B, N).reader()).contains(B);
        assertThat(new ReplicaSlot(Phase.BOTH, B, N).reader()).contains(N);
        assertThat(new ReplicaSlot(Phase.UNDO, B, N).reader()).contains(B);
        assertThat(new ReplicaSlot(Phase.COPY, B, N)).hasToString("COPY(b→n)");
    }

    @Test
    void rowsOfStableSlotsAreEqualHoweverTheyAreMade() {
        Row row = Row.stable(7, List.of(A, B));
        assertThat(row).isEqualTo(Row.of(7, List.of(ReplicaSlot.stable(A), ReplicaSlot.stable(B))));
        assertThat(row.isMoving()).isFalse();
        assertThat(row.moving(2)).isEmpty();
        assertThat(row.nodes(1)).containsExactly(A);
        assertThat(row).isNotEqualTo(moving(Phase.COPY));
    }

    @Test
    void slotsThatContradictTheirPhaseAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new ReplicaSlot(Phase.COPY, B, B));
        assertThatIllegalArgumentException().isThrownBy(() -> new ReplicaSlot(Phase.STABLE, B, N));
        ReplicaSlot copy = new ReplicaSlot(Phase.COPY, B, N);
        ReplicaSlot other = new ReplicaSlot(Phase.BOTH, A, C);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Row.of(7, List.of(copy, other)))
                .withMessageStartingWith("at most one slot of a row moves");
        assertThatIllegalArgumentException().isThrownBy(() -> Row.of(7, List.of()));
    }
}
