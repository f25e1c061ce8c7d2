package io.dht4j.transport.http.internal.api;

import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.contract.api.HttpApiContract;
import io.dht4j.transport.http.fixture.ApiNodes;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** The contract of the public API where it shares the nodes' ports. */
@Timeout(120)
@Tag("jdk")
class HttpApiTest extends HttpApiContract {

    @Override
    public Nodes startNodes() {
        ApiNodes nodes = ApiNodes.of(3, builder -> builder.timeout(Duration.ofHours(1)), HttpApiOptions.defaults());
        return new Nodes() {

            @Override
            public URI base(int node) {
                return nodes.uri(node, "");
            }

            @Override
            public void stop(int node) {
                nodes.stop(node);
            }

            @Override
            public void start(int node) {
                nodes.start(node);
            }

            @Override
            public void close() {
                nodes.close();
            }
        };
    }
}
