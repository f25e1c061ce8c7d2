package io.dht4j.core.internal.view;

import static io.dht4j.core.internal.view.SampleViews.FIRST;
import static io.dht4j.core.internal.view.SampleViews.OTHER;
import static io.dht4j.core.internal.view.SampleViews.SECOND;
import static io.dht4j.core.internal.view.SampleViews.SELF;
import static io.dht4j.core.internal.view.SampleViews.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.Key;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.placement.PartitionSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViewsTest {

    private final ClusterView first = view(2, 2, 2);
    private final Views views = new Views(first);

    @Test
    void onlyANewerViewIsInstalled() {
        assertThat(views.install(view(1, 1, 1))).isFalse();
        assertThat(views.install(view(2, 1, 2))).isFalse();
        assertThat(views.current()).isSameAs(first);
        ClusterView newer = view(7, 2, 7);
        assertThat(views.install(newer)).isTrue();
        assertThat(views.current()).isSameAs(newer);
        assertThat(views.applying().isWriteLocked()).isFalse();
    }

    @Test
    void viewOfAnotherNodeOrPartitionCountIsRefused() {
        Row row = Row.stable(1, List.of(FIRST));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> views.install(view(OTHER, 3, row, row)))
                .withMessage("a view of n1 with 2 partitions cannot follow one of n0 with 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> views.install(view(SELF, 3, row)))
                .withMessage("a view of n0 with 1 partitions cannot follow one of n0 with 2");
    }

    @Test
    void listenersGetEachViewWhateverOneOfThemThrows() {
        List<Long> epochs = new ArrayList<>();
        views.listen((before, now) -> {
            throw new IllegalStateException("a listener that fails");
        });
        views.listen((before, now) -> epochs.addAll(List.of(before.epoch(), now.epoch())));
        views.install(view(3, 2, 2));
        views.install(view(9, 2, 2));
        assertThat(epochs).containsExactly(2L, 3L, 3L, 9L);
    }

    @Test
    void tokenHasTheHighestVersionOfThePartitions() {
        ClusterView view = view(9, 3, 8);
        assertThat(view.token(PartitionSet.of(0))).isEqualTo(new FencingToken(view, 3));
        assertThat(view.token(PartitionSet.of(0, 1))).isEqualTo(new FencingToken(view, 8));
        assertThat(view.token(PartitionSet.empty())).isEqualTo(new FencingToken(view, 8));
        Key key = Key.of("key");
        assertThat(view.token(key)).isEqualTo(new FencingToken(view, view.partitionOf(key) == 0 ? 3 : 8));
        assertThat(view.owned()).isEqualTo(PartitionSet.of(0));
        assertThat(FencingToken.highest(null, view.token(PartitionSet.of(0)))).isEqualTo(new FencingToken(view, 3));
        assertThat(FencingToken.highest(new FencingToken(view, 8), new FencingToken(view, 3)))
                .isEqualTo(new FencingToken(view, 8));
    }

    @Test
    void requestsAreGroupedByView() {
        ClusterView later = view(9, 3, 8);
        FencingToken a = new FencingToken(first, 2);
        FencingToken b = new FencingToken(later, 3);
        FencingToken c = new FencingToken(first, 1);
        assertThat(FencingToken.byView(List.of(a, b, c), token -> token)).containsExactly(List.of(a, c), List.of(b));
        assertThat(FencingToken.byView(List.of("x", "y"), item -> null)).containsExactly(List.of("x", "y"));
    }

    @Test
    void rowsAreNotNewerThanTheirView() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> view(2, 3, 1))
                .withMessage("a row of version 3 is newer than the view of epoch 2");
        assertThatIllegalArgumentException().isThrownBy(() -> Row.stable(0, List.of(FIRST)));
    }

    @Test
    void growingPartitionsHaveDifferentWidths() {
        ClusterView even = view(2, 1, 1);
        assertThat(even.isGrowing()).isFalse();
        ClusterView growing = view(SELF, 2, Row.stable(1, List.of(FIRST)), Row.stable(1, List.of(FIRST, SECOND)));
        assertThat(growing.isGrowing()).isTrue();
        assertThat(growing.narrowest()).isEqualTo(1);
        assertThat(growing.maxReplicas()).isEqualTo(1);
        assertThat(growing.width(0)).isEqualTo(1);
        assertThat(growing.width(1)).isEqualTo(2);
        assertThat(growing.majority(0)).isEqualTo(new ReplicationPolicy(1, 1));
        assertThat(growing.majority(1)).isEqualTo(new ReplicationPolicy(2, 2));
        assertThat(growing.slots(1)).hasSize(2);
        assertThat(growing.complete(1)).containsExactly(FIRST, SECOND);
        assertThat(growing.complete(0)).containsExactly(FIRST);
    }
}
