package io.dht4j.simulator.contract;

import io.dht4j.Node;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.LoopbackNetwork;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("jdk")
class ClusterOverLoopbackTest extends ClusterOverTransportContract {

    private final Environment environment = SystemEnvironment.create("loopback-test");
    private final LoopbackNetwork network = LoopbackNetwork.on(environment);

    @AfterEach
    void closeEnvironment() {
        environment.close();
    }

    @Override
    public Transport newTransport(Node self) {
        return network.transport(self.address());
    }
}
