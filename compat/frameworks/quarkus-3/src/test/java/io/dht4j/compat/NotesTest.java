package io.dht4j.compat;

import io.quarkus.test.junit.QuarkusTest;
import org.eclipse.microprofile.config.inject.ConfigProperty;

@QuarkusTest
class NotesTest extends NotesContract {
    @ConfigProperty(name = "quarkus.http.test-port")
    int port;

    @Override
    int port() {
        return Integer.getInteger("quarkus.http.test-port", port);
    }
}
