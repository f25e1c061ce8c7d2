package io.dht4j.core.internal.membership.driver;

import java.util.List;
import java.util.Optional;

/**
 * The next step of the driver, and the obstacles of all other steps.
 *
 * @param step the next step; empty if there is none until a report or a state changes
 * @param waits the obstacles; incomplete if there is a step
 */
record Decision(Optional<Step> step, List<Wait> waits) {

    Decision {
        waits = List.copyOf(waits);
    }
}
