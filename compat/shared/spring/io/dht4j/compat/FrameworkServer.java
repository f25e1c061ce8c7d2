package io.dht4j.compat;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Spring's reactive server, on Netty. */
final class FrameworkServer implements AutoCloseable {
    private final ConfigurableApplicationContext context;

    private FrameworkServer(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static FrameworkServer start() {
        return new FrameworkServer(SpringApplication.run(Application.class, "--server.port=0"));
    }

    int port() {
        return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    @Override
    public void close() {
        context.close();
    }

    /** Answers one request. */
    @SpringBootApplication
    @RestController
    public static class Application {
        /** Greets. */
        @GetMapping("/hello")
        public String hello() {
            return "hello";
        }
    }
}
