package io.dht4j.compat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Beside the {@code FrameworkServer} of the build, which the test starts. */
class TransportsTest extends TransportsContract {
    private static FrameworkServer server;

    @BeforeAll
    static void startServer() {
        server = FrameworkServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    int port() {
        return server.port();
    }
}
