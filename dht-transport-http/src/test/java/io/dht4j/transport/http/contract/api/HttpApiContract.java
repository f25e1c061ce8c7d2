package io.dht4j.transport.http.contract.api;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/**
 * The contract of the public HTTP API for any transport between the nodes: {@code docs/reference/http-api.md} as tests.
 * A subclass supplies three nodes. The contract is composed of suites, one for each subject: single keys, scans,
 * batches, the protocol, the meaning of requests, connections, and the failure of nodes. Calls time out after an hour,
 * so every answer is independent of the deadline.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class HttpApiContract
        implements EntitySuite,
                ScanSuite,
                BatchSuite,
                ProtocolSuite,
                SemanticsSuite,
                ConnectionSuite,
                NodeFailuresSuite {

    private HttpClient client;
    private Nodes nodes;

    /** Constructor for subclasses. */
    protected HttpApiContract() {}

    /** Three nodes. */
    public interface Nodes extends AutoCloseable {

        /**
         * Returns the base URI of a node's API.
         *
         * @param node 0 to 2
         * @return for example {@code http://127.0.0.1:8080}
         */
        URI base(int node);

        /**
         * Stops a node and its API. Blocks until it no longer listens.
         *
         * @param node 0 to 2
         */
        void stop(int node);

        /**
         * Restarts a node and its API, possibly without its entries. Blocks until it serves.
         *
         * @param node 0 to 2, stopped
         */
        void start(int node);

        /** Stops all nodes. */
        @Override
        void close();
    }

    /**
     * Starts nodes named n1, n2 and n3 with three replicas and empty stores. Calls time out after an hour, and the APIs
     * have the default options. Most tests share one such cluster, some have their own.
     *
     * @return nodes that serve, which the contract closes
     * @throws Exception if they cannot be started
     */
    @Override
    public abstract Nodes startNodes() throws Exception;

    /**
     * Returns the HTTP version of the usual client.
     *
     * @return by default 1.1
     */
    protected HttpClient.Version version() {
        return HttpClient.Version.HTTP_1_1;
    }

    @BeforeAll
    final void startSharedNodes() throws Exception {
        client = HttpClient.newBuilder()
                .connectTimeout(Duration.ofSeconds(10))
                .version(version())
                .build();
        nodes = startNodes();
        writeEntriesToScan();
    }

    @AfterAll
    final void stopSharedNodes() {
        nodes.close();
    }

    @Override
    public final Nodes nodes() {
        return nodes;
    }

    @Override
    public final HttpClient client() {
        return client;
    }
}
