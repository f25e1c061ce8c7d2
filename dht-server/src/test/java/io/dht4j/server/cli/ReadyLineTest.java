package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.StandardOutput;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A server does not say that it serves once it has said that it does not. */
class ReadyLineTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StandardOutput stream = new StandardOutput(out);
    private final ReadyLine line =
            new ReadyLine(new Console(InputStream.nullInputStream(), stream, stream, false, false, Map.of()));

    /** Tries to show the line when a node logs its failure. */
    private final class ShowsTheLine extends AppenderBase<ILoggingEvent> {

        private int failures;

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getFormattedMessage().startsWith("this node can no longer serve")) {
                failures++;
                line.show("n1");
            }
        }
    }

    @Test
    void theLineOfANodeThatServesIsShown() {
        line.show("n1");
        line.withhold();
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("ready n1" + System.lineSeparator());
    }

    @ParameterizedTest
    @CsvSource({"Broken pipe, 0", "Broken pipe, 3", "No space left on device, 0", "No space left on device, 3"})
    void unwritableReadyLineKeepsTheExitCode(String reason, int code) {
        StandardOutput unwritable = new StandardOutput(new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                throw new IOException(reason);
            }
        });
        Console console =
                new Console(InputStream.nullInputStream(), unwritable, new PrintStream(out), false, false, Map.of());
        CommandLine server = new CommandLine(CommandSpec.wrapWithoutInspection((Callable<Integer>) () -> {
            new ReadyLine(console).show("n1");
            return code;
        }));

        assertThat(console.execute(server)).isEqualTo(code);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("dht server: ready, but ")
                .hasLineCount(1);
    }

    @Test
    void theLineNeverFollowsTheFailureOfTheNode() {
        VirtualEnvironment env = VirtualEnvironment.seeded(1);
        CompletableFuture<String> failure = new CompletableFuture<>();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ShowsTheLine appender = new ShowsTheLine();
        appender.start();
        root.addAppender(appender);
        try (Cluster node = ClusterBuilder.of("n1", Topology.of(Node.of("n1", "host1:1")))
                .transport(new ForwardingTransport(LoopbackNetwork.on(env).transport("host1:1")) {
                    @Override
                    public CompletionStage<String> failure() {
                        return failure;
                    }
                })
                .store(new MemoryStore())
                .environment(env)
                .start()) {
            node.failure().thenRun(line::withhold);
            failure.complete("a thread has ended");
        } finally {
            root.detachAppender(appender);
        }
        assertThat(appender.failures).isOne();
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }
}
