package io.dht4j.core.internal.membership.agreed.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Commands that are appended at a member of the topology log. */
class CommandLogTest {

    private static final NodeRef SELF = new NodeRef(new NodeId("n1"), new UUID(1, 1));

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final ReplicatedState state = new ReplicatedState(newer -> {}, leads -> {});
    private final ElectedLog log = new ElectedLog();
    private final CommandLog commands = new CommandLog(
            new MembershipRequestSender(
                    SELF.name(),
                    LoopbackNetwork.on(env).transport("host1:1"),
                    env,
                    () -> 1,
                    Optional::empty,
                    new Observations(Optional.empty(), Optional.empty(), Optional.empty(), env)),
            env,
            List::of,
            incarnation -> Optional.empty(),
            ref -> Optional.of(ref.incarnation()));

    /** The log of the only member, which was elected, and may lead later. */
    private final class ElectedLog implements TopologyLog {

        private boolean leads;
        private long index;

        @Override
        public boolean isNew() {
            return false;
        }

        @Override
        public void start(Applier applier, Wire wire) {
            // Commands are applied as soon as they are appended.
        }

        @Override
        public CompletionStage<Long> append(byte[] command, CallContext context) {
            state.apply(++index, command);
            return CompletableFuture.completedFuture(index);
        }

        @Override
        public boolean leads() {
            return leads;
        }

        @Override
        public Optional<NodeRef> leader() {
            return Optional.of(SELF);
        }

        @Override
        public List<NodeRef> members() {
            return List.of(SELF);
        }

        @Override
        public CompletionStage<Void> changeMembers(List<NodeRef> wanted, CallContext context) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void received(NodeRef from, byte[] message) {
            // Nobody sends any.
        }

        @Override
        public long malformedMessages() {
            return 0;
        }

        @Override
        public CompletionStage<String> failure() {
            return new CompletableFuture<>();
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }

    private Appended append(Command command) {
        return commands.appendHere(
                        CommandCodec.encode(command),
                        new CallContext(env::nanoTime, Duration.ofSeconds(1).toNanos()))
                .join();
    }

    private Outcome outcomeOf(TransportException.Outcome first, TransportException.Outcome later) {
        AtomicInteger calls = new AtomicInteger();
        Transport transport = new Transport() {
            @Override
            public CompletionStage<Void> start(FrameHandler handler) {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
                return CompletableFuture.failedFuture(
                        new TransportException(calls.getAndIncrement() == 0 ? first : later, "no answer"));
            }

            @Override
            public String name() {
                return "silent";
            }

            @Override
            public void close() {
                // There is nothing to close.
            }
        };
        CommandLog far = new CommandLog(
                new MembershipRequestSender(
                        SELF.name(),
                        transport,
                        env,
                        () -> 1,
                        Optional::empty,
                        new Observations(Optional.empty(), Optional.empty(), Optional.empty(), env)),
                env,
                () -> List.of(Node.of("n2", "host2:1")),
                incarnation -> Optional.empty(),
                ref -> Optional.empty());
        CompletableFuture<Appended> appended =
                far.append(new UUID(1, 1), new Command.Admit(Epoch.FIRST, new NodeId("n4")), Duration.ofSeconds(2));
        env.advance(Duration.ofSeconds(3));
        return appended.join().outcome();
    }

    @Test
    void commandIsNotSentOnlyIfNoNodeMayHaveReceivedIt() {
        assertThat(outcomeOf(TransportException.Outcome.NOT_SENT, TransportException.Outcome.NOT_SENT))
                .isEqualTo(Outcome.NOT_SENT);
        assertThat(outcomeOf(TransportException.Outcome.UNKNOWN, TransportException.Outcome.NOT_SENT))
                .isEqualTo(Outcome.UNKNOWN);
        assertThat(outcomeOf(TransportException.Outcome.NOT_SENT, TransportException.Outcome.UNKNOWN))
                .isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void leaderRefusesWhatItsGuardRefuses() {
        state.apply(++log.index, CommandCodec.encode(Clusters.form(3, 8, 3)));
        commands.member(log, state);
        commands.guard((command, newest) -> CompletableFuture.completedFuture(
                command instanceof Command.MarkDead ? Optional.of("it is alive") : Optional.empty()));
        Command dead = new Command.MarkDead(Epoch.FIRST, 3, false);

        // It has been elected, and has not heard of all that was agreed before.
        assertThat(append(dead).outcome()).isEqualTo(Outcome.NOT_LEADER);
        assertThat(append(new Command.MarkDead(Epoch.next(Epoch.FIRST), 3, false))
                        .outcome())
                .isEqualTo(Outcome.NOT_LEADER);
        log.leads = true;
        assertThat(append(dead)).isEqualTo(new Appended(Outcome.REFUSED, 0, "it is alive", Optional.empty()));
        assertThat(state.state().orElseThrow().epoch()).isEqualTo(Epoch.FIRST);
        assertThat(append(new Command.Admit(Epoch.FIRST, new NodeId("n4"))).outcome())
                .isEqualTo(Outcome.ACCEPTED);
    }

    /** Its leader appends the state with which it begins, perhaps after the first command has arrived. */
    @Test
    void commandIsNotAppendedToALogWithoutAState() {
        log.leads = true;
        commands.member(log, state);
        Command admit = new Command.Admit(Epoch.FIRST, new NodeId("n4"));
        assertThat(append(admit).outcome()).isEqualTo(Outcome.NOT_SENT);
        state.apply(++log.index, CommandCodec.encode(Clusters.form(3, 8, 3)));
        assertThat(append(admit).outcome()).isEqualTo(Outcome.ACCEPTED);
    }

    /** After a restart a member is elected by the length of its log, before it has applied what is in it. */
    @Test
    void leaderWithoutAStateForItsGuardAppendsNothing() {
        commands.member(log, state);
        commands.guard((command, newest) -> CompletableFuture.completedFuture(Optional.of("it is alive")));
        assertThat(append(new Command.MarkDead(Epoch.FIRST, 3, false)).outcome())
                .isEqualTo(Outcome.NOT_LEADER);
        assertThat(log.index).isZero();
    }
}
