package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReachabilityLogTest {

    private static final String CLOSED = "cannot connect: Failed to create SSL connection: closed";
    private static final String UNTRUSTED = "cannot connect: the certificate of n2 is not trusted";
    private static final Node N2 = Node.of("n2", "host2:1");

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final List<String> failures = new ArrayList<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ReachabilityLog.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final ReachabilityLog transport = new ReachabilityLog(
            new ForwardingTransport(LoopbackNetwork.on(env).transport("host1:1")) {
                @Override
                public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
                    return failures.isEmpty()
                            ? CompletableFuture.completedFuture(new byte[0])
                            : CompletableFuture.failedFuture(
                                    new TransportException(Outcome.NOT_SENT, failures.remove(0)));
                }
            },
            env::nanoTime);

    @BeforeEach
    void listen() {
        logger.setLevel(ch.qos.logback.classic.Level.INFO);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void end() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    private List<String> call(String... reasons) {
        for (String reason : reasons) {
            failures.add(reason);
            transport.call(N2, Frame.of(new byte[0]), new CallContext(env::nanoTime, 1_000_000_000));
        }
        return log.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    private List<String> answer() {
        transport.call(N2, Frame.of(new byte[0]), new CallContext(env::nanoTime, 1_000_000_000));
        return call();
    }

    @Test
    void aConnectionThatIsClosedMayBeThatOfANodeThatEnds() {
        assertThat(call(CLOSED, CLOSED, "connection refused"))
                .containsExactly("INFO n2 cannot be called: " + CLOSED, "INFO n2 cannot be called: connection refused");
        assertThat(answer()).last().isEqualTo("INFO n2 at host2:1 can be called again");
    }

    @Test
    void anOutageThatLastsIsWarnedOf() {
        call(CLOSED);
        env.advance(Duration.ofSeconds(11));
        assertThat(call(CLOSED, CLOSED, "connection refused", "connection refused"))
                .containsExactly(
                        "INFO n2 cannot be called: " + CLOSED,
                        "WARN n2 cannot be called: " + CLOSED,
                        "WARN n2 cannot be called: connection refused");
        assertThat(answer()).last().isEqualTo("WARN n2 at host2:1 can be called again");
    }

    @Test
    void otherReasonsAreWarnedOfAtOnce() {
        assertThat(call(UNTRUSTED, UNTRUSTED)).containsExactly("WARN n2 cannot be called: " + UNTRUSTED);
    }
}
