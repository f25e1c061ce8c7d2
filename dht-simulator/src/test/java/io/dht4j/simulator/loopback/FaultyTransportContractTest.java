package io.dht4j.simulator.loopback;

import io.dht4j.core.SystemEnvironment;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.transport.TransportContract;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;

/** A slow network is a network: with delays in every call the contract still holds. */
class FaultyTransportContractTest extends TransportContract {

    private final Environment environment = SystemEnvironment.create("faulty-test");
    private final LoopbackNetwork network = LoopbackNetwork.on(environment);
    private final Map<Transport, String> addresses = new ConcurrentHashMap<>();

    @AfterEach
    void closeEnvironment() {
        environment.close();
    }

    @Override
    public Transport newTransport() {
        return newTransport("faulty-" + addresses.size() + ":1");
    }

    @Override
    public Transport newTransport(String address) {
        FaultyTransport transport = new FaultyTransport(network.transport(address), environment);
        transport.towardAll(Fault.delay(Duration.ZERO, Duration.ofMillis(1)));
        addresses.put(transport, address);
        return transport;
    }

    @Override
    public String address(Transport transport) {
        return addresses.get(transport);
    }

    @Override
    public int maxFrameBytes() {
        return LoopbackNetwork.DEFAULT_MAX_FRAME_BYTES;
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread -> false;
    }
}
