package io.dht4j.core.internal.coordinator.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.wire.codec.FrameCodec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestGroupsTest {

    private static List<List<Integer>> groups(List<Integer> sizes, int maxBytes) {
        List<List<Integer>> groups = new ArrayList<>();
        RequestGroups.split(sizes, size -> size, maxBytes, group -> groups.add(List.copyOf(group)));
        return groups;
    }

    @Test
    void itemsThatFitAreOneGroup() {
        assertThat(groups(List.of(3, 3, 4), 10)).containsExactly(List.of(3, 3, 4));
    }

    @Test
    void aGroupEndsBeforeTheItemThatDoesNotFit() {
        assertThat(groups(List.of(6, 4, 1, 9, 2), 10)).containsExactly(List.of(6, 4), List.of(1, 9), List.of(2));
    }

    @Test
    void anItemThatIsTooLargeIsAGroupOfItsOwn() {
        assertThat(groups(List.of(1, 50, 1), 10)).containsExactly(List.of(1), List.of(50), List.of(1));
    }

    @Test
    void aGroupHasNoMoreItemsThanAFrame() {
        List<List<Integer>> groups = groups(Collections.nCopies(FrameCodec.MAX_ITEMS + 1, 0), 10);

        assertThat(groups).extracting(List::size).containsExactly(FrameCodec.MAX_ITEMS, 1);
    }
}
