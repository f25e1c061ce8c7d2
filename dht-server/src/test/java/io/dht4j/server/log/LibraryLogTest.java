package io.dht4j.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** What the server's configuration of the log makes of the messages of libraries. */
class LibraryLogTest {

    private static final Path CONFIGURATION = Path.of("src", "main", "resources", "logback.xml");

    @Test
    void libraryFailuresAreOneLineAndOwnOnesHaveAStackTrace() throws Exception {
        NullPointerException failure = new NullPointerException("\"stream\" is null\nat a forged place");

        String log = logged(context -> {
            Logger library = context.getLogger("io.netty.util.concurrent.DefaultPromise");
            for (int i = 0; i < 100; i++) {
                library.warn("An exception was thrown", failure);
            }
            context.getLogger("io.vertx.core.impl.ContextImpl").error("Unhandled exception", failure);
            context.getLogger("io.dht4j.Some").warn("own", failure);
        });

        assertThat(log.lines().filter(line -> line.contains("DefaultPromise: ")))
                .singleElement()
                .asString()
                .contains("An exception was thrown: java.lang.NullPointerException: \"stream\" is null\\n")
                .contains("LibraryLogTest.java:");
        assertThat(log.lines().filter(line -> line.contains("ContextImpl: "))).hasSize(1);
        String own = log.substring(log.indexOf("Some: own"));
        assertThat(log.lines().count() - own.lines().count()).isEqualTo(2);
        assertThat(own).contains("\tat ");
    }

    @Test
    void aWarningOfALibraryDoesNotHideItsError() throws Exception {
        String log = logged(context -> {
            Logger library = context.getLogger("io.netty.util.concurrent.DefaultPromise");
            for (int i = 0; i < 100; i++) {
                library.warn("one is slow");
                library.error("one has ended");
            }
        });

        assertThat(log.lines())
                .hasSize(2)
                .anyMatch(line -> line.contains("WARN") && line.contains("one is slow"))
                .anyMatch(line -> line.contains("ERROR") && line.contains("one has ended"));
    }

    @Test
    void aRemedyIsACommandInTheMessageAndInTheStackTrace() throws Exception {
        String log = logged(context -> context.getLogger("io.dht4j.core.Some")
                .warn(
                        "n3 is silent: call membership().replace(new NodeId(\"{}\"))",
                        "n3",
                        new IllegalStateException("start it with Membership.join")));

        assertThat(log)
                .contains("n3 is silent: run ./dht nodes replace n3")
                .contains("IllegalStateException: start it with --join");
    }

    private interface Logging {
        void in(LoggerContext context);
    }

    /** Runs in a context of its own: that of the process stays as it is. */
    private static String logged(Logging logging) throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        try {
            JoranConfigurator configurator = new JoranConfigurator();
            configurator.setContext(context);
            configurator.doConfigure(CONFIGURATION.toFile());
            logging.in(context);
        } finally {
            context.stop();
            System.setErr(before);
        }
        return err.toString(StandardCharsets.UTF_8);
    }
}
