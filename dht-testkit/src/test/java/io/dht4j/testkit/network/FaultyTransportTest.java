package io.dht4j.testkit.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultyTransportTest {

    private static final Node ECHO = Node.of("echo", "echo:1");
    private static final Node OTHER = Node.of("other", "other:1");
    /** Nothing listens there at first. */
    private static final Node LATE = Node.of("late", "late:1");

    private static final byte[] FRAME = {1, 2, 3};

    private final VirtualEnvironment env = VirtualEnvironment.seeded(3);
    private final LoopbackNetwork network = LoopbackNetwork.on(env);
    private final FaultyTransport transport = new FaultyTransport(network.transport("caller"), env);
    private final List<String> received = new ArrayList<>();

    @BeforeEach
    void startAll() {
        transport.start((request, context) -> CompletableFuture.completedFuture(request));
        listen(ECHO);
        listen(OTHER);
    }

    private void listen(Node node) {
        network.transport(node.address()).start((request, context) -> {
            received.add(node.id() + " at " + env.elapsed().toMillis());
            return CompletableFuture.completedFuture(request);
        });
    }

    private CompletableFuture<byte[]> call(Node node) {
        return call(transport, node);
    }

    private CompletableFuture<byte[]> call(Transport over, Node node) {
        return over.call(
                        node,
                        Frame.of(FRAME),
                        new CallContext(env::nanoTime, Duration.ofMillis(100).toNanos()))
                .toCompletableFuture();
    }

    private void assertFailsAt(CompletableFuture<byte[]> call, Outcome outcome, long millis) {
        env.runUntil(call::isDone, Duration.ofSeconds(1));
        assertThat(env.elapsed()).isEqualTo(Duration.ofMillis(millis));
        assertThat(call)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.outcome()).isEqualTo(outcome));
    }

    @Test
    void withoutFaultsCallsGoThrough() {
        assertThat(env.await(call(ECHO), Duration.ZERO)).isEqualTo(FRAME);
        assertThat(transport.name()).isEqualTo("faulty loopback");
    }

    @Test
    void aFaultHurtsItsLinkOnlyUntilItIsHealed() {
        transport.toward(ECHO.id(), Fault.refuse());
        assertFailsAt(call(ECHO), Outcome.NOT_SENT, 0);
        assertThat(env.await(call(OTHER), Duration.ZERO)).isEqualTo(FRAME);
        transport.heal();
        assertThat(env.await(call(ECHO), Duration.ZERO)).isEqualTo(FRAME);
        transport.towardAll(Fault.refuse());
        assertFailsAt(call(ECHO), Outcome.NOT_SENT, 0);
        assertFailsAt(call(OTHER), Outcome.NOT_SENT, 0);
        assertThat(received).containsExactly("other at 0", "echo at 0");
    }

    @Test
    void aLostRequestNeverArrivesAndFailsAtTheDeadline() {
        transport.towardAll(Fault.loseRequest());
        assertFailsAt(call(ECHO), Outcome.UNKNOWN, 100);
        assertThat(received).isEmpty();
    }

    @Test
    void aLostReplyIsCarriedOutAndFailsAtTheDeadline() {
        transport.towardAll(Fault.loseReply());
        assertFailsAt(call(ECHO), Outcome.UNKNOWN, 100);
        assertThat(received).containsExactly("echo at 0");
    }

    @Test
    void aFailureAfterDeliveryIsCarriedOutAndFailsAtOnce() {
        transport.towardAll(Fault.failAfterDelivery());
        assertFailsAt(call(ECHO), Outcome.UNKNOWN, 0);
        assertThat(received).containsExactly("echo at 0");
    }

    @Test
    void delaysAddUpOnBothWays() {
        transport.towardAll(Fault.delay(Duration.ofMillis(30), Duration.ofMillis(40)));
        assertThat(env.await(call(ECHO), Duration.ofSeconds(1))).isEqualTo(FRAME);
        assertThat(received).containsExactly("echo at 30");
        assertThat(env.elapsed()).isEqualTo(Duration.ofMillis(70));
    }

    @Test
    void aDelayBeyondTheDeadlineFailsAtTheDeadline() {
        transport.towardAll(Fault.delay(Duration.ofMillis(30), Duration.ofMillis(500)));
        assertFailsAt(call(ECHO), Outcome.UNKNOWN, 100);
        assertThat(received).containsExactly("echo at 30");
        env.runUntilIdle();
        assertThat(received).hasSize(1);
    }

    @Test
    void aRepeatedRequestArrivesTwiceAndIsAnsweredOnce() {
        transport.towardAll(Fault.repeat(Duration.ofMillis(50)));
        assertThat(env.await(call(ECHO), Duration.ZERO)).isEqualTo(FRAME);
        env.runUntilIdle();
        assertThat(received).containsExactly("echo at 0", "echo at 50");
    }

    @Test
    void aRequestThatIsNotSentIsNotRepeated() {
        transport.towardAll(Fault.repeat(Duration.ofMillis(50)));
        assertFailsAt(call(LATE), Outcome.NOT_SENT, 0);
        listen(LATE);
        env.runUntilIdle();
        assertThat(received).isEmpty();
    }

    @Test
    void repeatedRequestIsReportedAsUnknown() {
        FaultyTransport repeating = new FaultyTransport(transport, env);
        repeating.towardAll(Fault.repeat(Duration.ofMillis(20)));
        transport.towardAll(Fault.delay(Duration.ofMillis(30), Duration.ZERO));
        CompletableFuture<byte[]> call = call(repeating, LATE);
        assertFailsAt(call, Outcome.UNKNOWN, 30);
        listen(LATE);
        env.runUntilIdle();
        assertThat(received).containsExactly("late at 50");
    }

    @Test
    void faultsCanDifferFromCallToCall() {
        int[] calls = {0};
        transport.toward(ECHO.id(), () -> calls[0]++ == 0 ? Fault.refuse() : Fault.none());
        assertFailsAt(call(ECHO), Outcome.NOT_SENT, 0);
        assertThat(env.await(call(ECHO), Duration.ZERO)).isEqualTo(FRAME);
    }

    @Test
    void closingEndsSilentCallsAndRefusesNewOnes() {
        transport.towardAll(Fault.loseRequest());
        CompletableFuture<byte[]> silent = call(ECHO);
        transport.close();
        transport.close();
        assertFailsAt(silent, Outcome.UNKNOWN, 0);
        assertFailsAt(call(ECHO), Outcome.NOT_SENT, 0);
        transport.heal();
        assertFailsAt(call(ECHO), Outcome.NOT_SENT, 0);
    }

    @Test
    void aCancelledCallEndsAtOnce() {
        transport.towardAll(Fault.loseRequest());
        CallContext context =
                new CallContext(env::nanoTime, Duration.ofSeconds(1).toNanos());
        CompletableFuture<byte[]> call =
                transport.call(ECHO, Frame.of(FRAME), context).toCompletableFuture();
        assertThat(call).isNotDone();
        context.cancel();
        assertFailsAt(call, Outcome.UNKNOWN, 0);
    }

    @Test
    void delaysAreNotNegative() {
        Duration negative = Duration.ofMillis(-1);
        assertThatIllegalArgumentException().isThrownBy(() -> Fault.delay(negative, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> Fault.delay(Duration.ZERO, negative));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Fault.repeat(negative))
                .withMessageContaining("PT-0.001S");
    }
}
