package io.dht4j.core.internal.membership.agreed.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.MembershipRequest.LogPart;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** Messages of the topology log that travel in parts. */
class LogMessagesTest {

    private static final Node SENDER = Node.of("n1", "host1:1");
    private static final Node RECIPIENT = Node.of("n2", "host2:1");
    private static final NodeRef FROM = new NodeRef(SENDER.id(), new UUID(1, 1));
    private static final NodeRef TO = new NodeRef(RECIPIENT.id(), new UUID(2, 2));

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final List<byte[]> received = new ArrayList<>();
    private final LogMessages recipient =
            messages(TO, RECIPIENT, new PartTransport(part -> true), (from, bytes) -> received.add(bytes), 0);

    /** Passes some parts of messages to the recipient, and never answers. */
    private final class PartTransport implements Transport {

        private final IntPredicate arrives;

        PartTransport(IntPredicate arrives) {
            this.arrives = arrives;
        }

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            try {
                LogPart part = (LogPart) FrameCodec.open(request.toBytes(), new NodeIds(List.of()))
                        .request();
                if (arrives.test(part.part())) {
                    recipient.received(SENDER.id(), part);
                }
            } catch (FrameException e) {
                throw new AssertionError(e);
            }
            return new CompletableFuture<>();
        }

        @Override
        public String name() {
            return "parts";
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    private LogMessages messages(
            NodeRef self, Node node, Transport transport, BiConsumer<NodeRef, byte[]> receiver, int firstNumber) {
        return new LogMessages(
                new MembershipRequestSender(
                        node.id(),
                        transport,
                        env,
                        () -> 1,
                        Optional::empty,
                        new Observations(Optional.empty(), Optional.empty(), Optional.empty(), env)),
                LogMessagesTest::named,
                incarnation -> Optional.empty(),
                () -> Optional.of(self),
                receiver,
                firstNumber);
    }

    private static Optional<Node> named(NodeId name) {
        return List.of(SENDER, RECIPIENT).stream()
                .filter(node -> node.id().equals(name))
                .findFirst();
    }

    private void send(int firstNumber, int content, IntPredicate arrives) {
        byte[] message = new byte[MembershipRequest.MAX_BYTES + 10];
        Arrays.fill(message, (byte) content);
        messages(FROM, SENDER, new PartTransport(arrives), (from, bytes) -> {}, firstNumber)
                .send(TO, message);
    }

    @Test
    void messageArrivesWhenAllItsPartsHave() {
        send(7, 1, part -> true);
        assertThat(received).hasSize(1);
        assertThat(received.get(0)).hasSize(MembershipRequest.MAX_BYTES + 10).containsOnly(1);
    }

    @Test
    void partsOfTwoStartsOfASenderAreNotJoined() {
        send(7, 1, part -> part == 0);
        send(8, 2, part -> part == 1);
        assertThat(received).isEmpty();
        send(9, 3, part -> true);
        assertThat(received).hasSize(1);
        assertThat(received.get(0)).containsOnly(3);
    }
}
