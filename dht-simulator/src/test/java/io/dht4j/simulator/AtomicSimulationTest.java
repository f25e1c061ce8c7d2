package io.dht4j.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.testkit.SearchEffort;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Atomic counters in clusters whose nodes change. */
@Tag("search")
class AtomicSimulationTest {

    @Test
    void additionsAreCountedOnceInTheOrderOfRealTime() {
        int seeds = SearchEffort.of(Integer.getInteger("dht.atomic.seeds", 100));
        List<String> found = new ArrayList<>();
        int first = Integer.getInteger("dht.atomic.first", 0);
        for (int seed = first; seed < first + seeds; seed++) {
            SimulationReport report = Simulator.run(seed, SimulationOptions.defaults(Mode.ATOMIC));
            if (!report.violations().isEmpty()) {
                found.add("seed " + seed + ": "
                        + report.violations().stream().distinct().limit(3).toList() + " of " + report.outcomes());
            }
        }
        assertThat(found).isEmpty();
    }
}
