package io.dht4j.core.internal.membership.driver;

import java.util.List;
import java.util.Optional;

/**
 * The next step of the driver, and what everything else waits for.
 *
 * @param step the next step; empty if there is none until something is reported or changes
 * @param waits what is waited for; if there is a step, only as far as it was looked at
 */
record Decision(Optional<Step> step, List<Wait> waits) {

    Decision {
        waits = List.copyOf(waits);
    }
}
