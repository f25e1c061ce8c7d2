package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.dht4j.Node;
import io.dht4j.core.internal.detection.ReachabilityLog;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReachabilityLogTest {

    private static final String CLOSED = "cannot connect: Failed to create SSL connection: closed";
    private static final String UNTRUSTED = "cannot connect: the certificate of n2 is not trusted";
    private static final Node N2 = Node.of("n2", "host2:1");

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final Logger logger = (Logger) LoggerFactory.getLogger(ReachabilityLog.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final ReachabilityLog reachability = new ReachabilityLog(env::nanoTime);

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
            reachability.notSent(N2, reason);
        }
        return log.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    private List<String> answer() {
        reachability.answered(N2);
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
    void theOwnEndIsNoReason() {
        call(UNTRUSTED);
        reachability.close();
        call("shutting down");
        assertThat(answer()).containsExactly("WARN n2 cannot be called: " + UNTRUSTED);
    }

    @Test
    void otherReasonsAreWarnedOfAtOnce() {
        assertThat(call(UNTRUSTED, UNTRUSTED)).containsExactly("WARN n2 cannot be called: " + UNTRUSTED);
    }
}
