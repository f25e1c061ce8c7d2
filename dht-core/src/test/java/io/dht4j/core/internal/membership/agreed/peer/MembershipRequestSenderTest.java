package io.dht4j.core.internal.membership.agreed.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.MembershipReply;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class MembershipRequestSenderTest {

    private static final Node SELF = Node.of("n1", "host1:1");
    private static final Node OTHER = Node.of("n2", "host2:1");

    /** Answers with what is no frame. */
    private static final class Babbler implements Transport {

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            return CompletableFuture.completedFuture(new byte[] {1, 2, 3});
        }

        @Override
        public String name() {
            return "babble";
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    @Test
    void aNodeWhoseAnswersCannotBeReadIsSilent() {
        VirtualEnvironment env = VirtualEnvironment.seeded(1);
        MembershipRequestSender requests = new MembershipRequestSender(
                SELF.id(),
                new Babbler(),
                env,
                () -> 1,
                Optional::empty,
                new Observations(Optional.empty(), Optional.empty(), Optional.empty(), env));

        assertThat(requests.ask(OTHER, new MembershipRequest.Report(new UUID(1, 1), 1), MembershipReply.Reported.class))
                .isCompletedExceptionally();
        env.advance(Duration.ofSeconds(40));

        assertThat(requests.silence().of(OTHER.id())).contains(Duration.ofSeconds(40));
    }

    /** Answers with the frames of another node, and has what it was to forget. */
    private static final class Impostor implements Transport {

        private static final Node ANOTHER = Node.of("n3", "host3:1");

        private final List<Node> forgotten = new ArrayList<>();

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            FrameHeader header = new FrameHeader(ANOTHER.id(), Optional.of(SELF.id()), 0, 1, new Version(0), 0);
            return CompletableFuture.completedFuture(
                    FrameCodec.encode(header, new Reply.Failed(ErrorCode.WRONG_RECIPIENT, "n3 is not n2")));
        }

        @Override
        public void forget(Node node) {
            forgotten.add(node);
        }

        @Override
        public String name() {
            return "impostor";
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    @Test
    void wrongNodeConnectionsAreClosedWithGrowingPauses() {
        VirtualEnvironment env = VirtualEnvironment.seeded(1);
        Impostor transport = new Impostor();
        MembershipRequestSender requests = new MembershipRequestSender(
                SELF.id(),
                transport,
                env,
                () -> 1,
                Optional::empty,
                new Observations(Optional.empty(), Optional.empty(), Optional.empty(), env));

        for (int i = 0; i < 600; i++) {
            assertThat(requests.ask(
                            OTHER, new MembershipRequest.Report(new UUID(1, 1), 1), MembershipReply.Reported.class))
                    .isCompletedExceptionally();
            env.advance(Duration.ofMillis(100));
        }

        // At once, after 1, 2, 4 and 8 seconds, and every 10 seconds from then on.
        assertThat(transport.forgotten).hasSize(9).containsOnly(OTHER);
    }

    /** Sends nothing. */
    private static final class Failing implements Transport {

        private final TransportException failure;

        Failing(TransportException failure) {
            this.failure = failure;
        }

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            return CompletableFuture.failedFuture(failure);
        }

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    private static MembershipRequestSender failing(TransportException failure) {
        return failing(failure, Optional.empty());
    }

    private static MembershipRequestSender failing(TransportException failure, Optional<Observer> observer) {
        VirtualEnvironment env = VirtualEnvironment.seeded(1);
        return new MembershipRequestSender(
                SELF.id(),
                new Failing(failure),
                env,
                () -> 1,
                Optional::empty,
                new Observations(observer, Optional.empty(), Optional.empty(), env));
    }

    @Test
    void theEndOfARequestIsReportedToTheObserver() {
        List<String> ended = new ArrayList<>();
        Observer observer = new Observer() {
            @Override
            public void callEnded(Call call, Observer.Outcome outcome, long nanos) {
                ended.add(call + " " + outcome);
            }

            @Override
            public void requestEnded(NodeId node, Request request, Observer.Outcome outcome, long nanos) {
                ended.add(node + " " + request + " " + outcome);
            }
        };
        MembershipRequest.Report request = new MembershipRequest.Report(new UUID(1, 1), 1);
        failing(new TransportException(TransportException.Outcome.UNKNOWN, "lost"), Optional.of(observer))
                .ask(OTHER, request, MembershipReply.Reported.class)
                .exceptionally(error -> null);
        failing(new TransportException(TransportException.Outcome.NOT_SENT, "refused"), Optional.of(observer))
                .ask(OTHER, request, MembershipReply.Reported.class)
                .exceptionally(error -> null);
        assertThat(ended).containsExactly(OTHER.id() + " MEMBERSHIP NO_REPLY", OTHER.id() + " MEMBERSHIP NOT_SENT");
    }

    @Test
    void foreignProtocolIsReportedAsAnotherTransport() {
        MembershipRequestSender strange =
                failing(new TransportException(Outcome.UNKNOWN, "INTERNAL HTTP status code 400"));
        assertThatThrownBy(() -> strange.clusterOf(OTHER).join())
                .hasMessageContaining(
                        "n2 at host2:1 does not answer: INTERNAL HTTP status code 400; if it runs, does it"
                                + " use another Transport?");
        assertThat(strange.hearsNoFrames()).isTrue();

        MembershipRequestSender stopped = failing(new TransportException(Reason.REFUSED, "refused"));
        assertThatThrownBy(() -> stopped.clusterOf(OTHER).join()).hasMessageEndingWith("does not answer: refused");
        assertThat(stopped.hearsNoFrames()).isFalse();
    }
}
