package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.MembershipReply;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a removed node may ask for where certificates prove names: the state, which says that it was removed. */
class RemovedCallersTest {

    private static final NodeId REMOVED = new NodeId("n9");
    private static final NodeIds NO_NAMES = new NodeIds(List.of());

    private final FormedCluster nodes = new FormedCluster(1);
    private final AtomicReference<FrameHandler> handler = new AtomicReference<>();

    /** The transport of the first node. */
    private final Transport recording = new ForwardingTransport(nodes.network.transport(node(0).address())) {
        @Override
        public CompletionStage<Void> start(FrameHandler receiver) {
            handler.set(receiver);
            return super.start(receiver);
        }
    };

    private Reply ask(Request request) throws FrameException {
        return ask(request, Set.of("localhost", REMOVED.value()));
    }

    private Reply ask(Request request, Set<String> proven) throws FrameException {
        FrameHeader header = new FrameHeader(REMOVED, Optional.of(node(0).id()), 0, 0, new Version(0), 0);
        CallContext context = new CallContext(nodes.env::nanoTime, BOUND.toNanos(), proven);
        byte[] reply = nodes.env.await(
                handler.get().handle(FrameCodec.encode(header, request).toBytes(), context), BOUND);
        return FrameCodec.decodeReply(reply, request, NO_NAMES).message();
    }

    private void change(Command command) {
        nodes.env.await(nodes.change(0, state -> command), BOUND);
    }

    @Test
    void aRemovedNodeMayOnlyAskForTheState() throws FrameException {
        try (nodes) {
            nodes.bootstrap(0, list(0), builder -> builder.transport(recording).replicationFactor(1));
            nodes.cluster(0);
            assertThat(handler.get().mayCall(REMOVED.value())).isFalse();
            change(new Command.Admit(nodes.state(0).epoch(), REMOVED));
            assertThat(handler.get().mayCall(REMOVED.value())).isTrue();
            change(new Command.Remove(nodes.state(0).epoch(), 2));

            assertThat(handler.get().mayCall(REMOVED.value())).isTrue();
            assertThat(handler.get().mayCall("n8")).isFalse();
            UUID cluster = nodes.state(0).cluster();
            byte[] command =
                    CommandCodec.encode(new Command.Admit(nodes.state(0).epoch(), REMOVED));
            assertThat(ask(new MembershipRequest.Append(cluster, command), Set.of()))
                    .isInstanceOfSatisfying(
                            MembershipReply.Appended.class,
                            appended -> assertThat(appended.outcome()).isEqualTo(MembershipReply.Outcome.NOT_SENT));
            assertThat(ask(new MembershipRequest.State(Optional.of(cluster), 0, 0, 0)))
                    .isInstanceOfSatisfying(
                            MembershipReply.StatePart.class,
                            part -> assertThat(part.bytes()).isNotEmpty());
            for (Request request : List.of(
                    new MembershipRequest.Report(cluster, 1),
                    new MembershipRequest.Admit(new UUID(1, 1), new byte[1]),
                    new Request.ReadKeys(List.of(new Request.Query(Key.of("key"), true)), 1 << 10))) {
                assertThat(ask(request))
                        .isInstanceOfSatisfying(
                                Reply.Failed.class,
                                failed -> assertThat(failed.code()).isEqualTo(ErrorCode.PERMISSION_DENIED));
            }
        }
    }
}
