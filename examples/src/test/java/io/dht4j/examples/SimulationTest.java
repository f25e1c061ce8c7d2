package io.dht4j.examples;

// tag::simulate[]
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.simulator.SimulationOptions;
import io.dht4j.simulator.SimulationReport;
import io.dht4j.simulator.Simulator;
import org.junit.jupiter.api.Test;

class SimulationTest {

    @Test
    void aSimulationBreaksNoGuarantee() {
        SimulationReport report = Simulator.run(7, SimulationOptions.defaults());
        assertThat(report.violations()).as("%s", report).isEmpty();
    }
}
// end::simulate[]
