package io.dht4j.core;

import io.dht4j.spi.Placement;
import io.dht4j.testkit.placement.PlacementContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Every placement keeps the contract, with its default bound and without. */
@Tag("search")
class PlacementsContractTest {

    private abstract static class Case extends PlacementContract {

        private final Placement placement;
        private final boolean heedsWeights;
        private final boolean ignoresOrder;

        Case(Placement placement, boolean heedsWeights, boolean ignoresOrder) {
            this.placement = placement;
            this.heedsWeights = heedsWeights;
            this.ignoresOrder = ignoresOrder;
        }

        @Override
        protected Placement placement() {
            return placement;
        }

        @Override
        protected boolean heedsWeights() {
            return heedsWeights;
        }

        @Override
        protected boolean ignoresOrder() {
            return ignoresOrder;
        }
    }

    @Nested
    class Ring extends Case {
        Ring() {
            super(Placements.ring(), true, false);
        }
    }

    @Nested
    class UnboundedRing extends Case {
        UnboundedRing() {
            super(Placements.ring(RingOptions.defaults().withBound(LoadBound.none())), true, true);
        }
    }

    @Nested
    class Rendezvous extends Case {
        Rendezvous() {
            super(Placements.rendezvous(), true, false);
        }
    }

    @Nested
    class UnboundedRendezvous extends Case {
        UnboundedRendezvous() {
            super(Placements.rendezvous(LoadBound.none()), true, true);
        }
    }

    @Nested
    class Jump extends Case {
        Jump() {
            super(Placements.jump(), false, false);
        }
    }

    @Nested
    class UnboundedJump extends Case {
        UnboundedJump() {
            super(Placements.jump(LoadBound.none()), false, false);
        }
    }

    @Nested
    class Modulo extends Case {
        Modulo() {
            super(Placements.modulo(), false, false);
        }
    }
}
