package io.dht4j.compat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class NotesTest extends NotesContract {
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
