package io.dht4j.simulator.cluster.membership;

import io.dht4j.core.internal.view.Phase;

/** One change of the phase of a slot after the other. */
enum PhaseChange {
    TO_COPY(Phase.STABLE, PhasesOfASlot.OWNER, Phase.COPY),
    TO_BOTH(Phase.COPY, PhasesOfASlot.HEIR, Phase.BOTH),
    TO_STABLE(Phase.BOTH, PhasesOfASlot.HEIR, Phase.STABLE),
    TO_UNDO(Phase.BOTH, PhasesOfASlot.HEIR, Phase.UNDO),
    UNDONE(Phase.UNDO, PhasesOfASlot.HEIR, Phase.STABLE);

    final Phase from;
    private final int heir;
    private final Phase to;

    PhaseChange(Phase from, int heir, Phase to) {
        this.from = from;
        this.heir = heir;
        this.to = to;
    }

    void before(AgreedCluster agreed) {
        agreed.move(PhasesOfASlot.MOVING, 0, from, heir);
    }

    void after(AgreedCluster agreed) {
        agreed.move(PhasesOfASlot.MOVING, 0, to, this == UNDONE ? PhasesOfASlot.OWNER : PhasesOfASlot.HEIR);
    }
}
