package io.dht4j.simulator.contract;

import io.dht4j.Cluster;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.spi.RemoteApi;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;

/** The contract itself, over the simplest API there is. */
class DirectRemoteApiTest extends RemoteApiContract {

    private final SystemEnvironment environment = SystemEnvironment.create("direct");
    private final Map<String, Cluster> listening = new ConcurrentHashMap<>();
    private int served;

    @AfterEach
    void closeEnvironment() {
        environment.close();
    }

    @Override
    protected Server serve(Cluster cluster) {
        String address = "cluster" + served++ + ":1";
        listening.put(address, cluster);
        return new Server() {
            @Override
            public String address() {
                return address;
            }

            @Override
            public void close() {
                listening.remove(address);
            }
        };
    }

    @Override
    public RemoteApi newApi() {
        return new DirectRemoteApi(listening, environment);
    }
}
