package io.dht4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PlacementOptionsTest {

    @Test
    void optionsOutOfRangeAreNamedWithTheirRange() {
        assertThatThrownBy(() -> RingOptions.defaults().withVirtualNodes(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ring: virtual nodes must be 1 to 4096, not 0");
        assertThatThrownBy(() -> new LoadBound(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("factor must be 1.05 to 10.0");
        assertThatThrownBy(() -> new LoadBound(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Placements.modulo().assign(Tables.nodes(3), 1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("power of two");
    }

    @Test
    void theNameTellsAnUnboundedPlacement() {
        assertThat(Placements.ring().name()).isEqualTo("ring");
        assertThat(Placements.rendezvous(LoadBound.none()).name()).isEqualTo("rendezvous-unbounded");
    }
}
