package io.dht4j.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.FailureDetectors;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the core logs about callers and peers. */
class CoreLogTest {

    private static final Node N2 = Node.of("n2", "host2:1");

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.dht4j.core.internal");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void end() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    private List<String> lines() {
        return log.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    /** Ends a call, to whose stage an action of so much time is attached. */
    private void call(Admission admission, Duration action) {
        CompletableFuture<String> work = new CompletableFuture<>();
        admission.run(null, () -> work).thenRun(() -> env.advance(action));
        work.complete("value");
    }

    @Test
    void actionsThatBlockAreLogged() {
        Admission admission = Admission.ofCalls(10, 10, env);
        call(admission, Duration.ofMillis(900));
        assertThat(lines()).isEmpty();

        call(admission, Duration.ofMillis(1100));
        call(admission, Duration.ofMillis(1100));

        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith("WARN actions of a call's stage ran for 1100 ms on this thread")
                .contains("thenApplyAsync");
    }

    @Test
    void aNodeThatHasNotAnsweredYetIsNotLoggedAsSuspected() {
        Suspicion suspicion = new Suspicion(
                new NodeId("n1"), env, List.of(N2), FailureDetectors.silence(Duration.ofMillis(500)), node -> {});
        suspicion.sent(N2.id(), env.nanoTime());
        env.advance(Duration.ofSeconds(2));
        assertThat(suspicion.suspects()).containsExactly(N2.id());
        assertThat(lines()).isEmpty();

        suspicion.heard(N2.id(), env.nanoTime());
        suspicion.sent(N2.id(), env.nanoTime());
        env.advance(Duration.ofSeconds(2));

        assertThat(lines()).containsExactly("INFO n2 answers", "INFO n2 does not answer: reads ask other nodes first");
        suspicion.close();
    }
}
