package io.dht4j.compat;

import io.micronaut.context.ApplicationContext;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.runtime.server.EmbeddedServer;
import java.util.Map;

/** Micronaut's server, on Netty. */
final class FrameworkServer implements AutoCloseable {
    private final EmbeddedServer server;

    private FrameworkServer(EmbeddedServer server) {
        this.server = server;
    }

    static FrameworkServer start() {
        return new FrameworkServer(ApplicationContext.run(EmbeddedServer.class, Map.of("micronaut.server.port", -1)));
    }

    int port() {
        return server.getPort();
    }

    @Override
    public void close() {
        server.close();
    }

    /** Answers one request. */
    @Controller
    public static class Greeting {
        /** Greets. */
        @Get(uri = "/hello", produces = "text/plain")
        public String hello() {
            return "hello";
        }
    }
}
