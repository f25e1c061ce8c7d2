package io.dht4j.core.internal.membership.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.command.CommandResult;
import io.dht4j.core.internal.membership.command.StateMachine;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import io.dht4j.spi.TopologyLog;
import io.dht4j.testkit.SearchEffort;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("search")
final class StateCodecTest {

    private interface Decoder {
        Object decode(byte[] bytes) throws MalformedStateException;
    }

    /** A state with members in every state of their lives, and batches in every phase. */
    private static ClusterState eventful() {
        ClusterState state = Clusters.formed(4, 16, 2, "a", "b");
        state = Clusters.joined(Clusters.joined(state, "c", 3));
        state = Clusters.accepted(state, new Command.Admit(state.epoch(), Clusters.name(7)));
        state = Clusters.started(state, 1, 5, movable(state, 1, 5));
        state = Clusters.advanced(state, Phase.BOTH);
        state = Clusters.started(
                state, 2, 6, PartitionSet.of(movable(state, 2, 6).toArray()[0]));
        state = Clusters.accepted(state, new Command.MarkDead(state.epoch(), 4, true));
        state = Clusters.accepted(
                state, new Command.Replace(state.epoch(), 4, Clusters.incarnation(99), Clusters.attributes(4)));
        return Clusters.left(state, 3);
    }

    /** Returns stable partitions of which the member that dies has no slot, as its successor comes only then. */
    private static PartitionSet movable(ClusterState state, int from, int to) {
        return Clusters.movable(state, from, to)
                .filter(p -> state.batchOf(p).isEmpty() && state.slots().slotOf(p, 4) < 0);
    }

    private static List<Command> commands() {
        MemberAttributes attributes = Clusters.attributes(3).withZone("z").withWeight(9);
        UUID incarnation = Clusters.incarnation(3);
        PartitionSet some = PartitionSet.of(3, 200);
        long epoch = Epoch.of(3, 1L << 40);
        return List.of(
                Clusters.form(3, 8, 2, "a"),
                new Command.Admit(epoch, Clusters.name(3)),
                new Command.Join(epoch, Clusters.name(3), incarnation, attributes, Map.of("hash", "xxh3")),
                new Command.Serve(epoch, 3),
                new Command.ChangeAttributes(epoch, 3, attributes),
                new Command.Leave(epoch, 3),
                new Command.Remove(epoch, 3),
                new Command.ReleaseVersionSlot(epoch, 3),
                new Command.MarkDead(epoch, 3, true),
                new Command.Replace(epoch, 3, incarnation, attributes),
                new Command.StartBatch(epoch, 3, 4, some),
                new Command.AdvanceBatch(epoch, epoch, Phase.BOTH),
                new Command.CompleteFill(epoch, epoch, some),
                new Command.AbortBatch(epoch, epoch),
                new Command.SetReplicationFactor(epoch, 3),
                new Command.StartGrow(epoch, 3, 4, some),
                new Command.CompleteGrow(epoch, epoch, some),
                new Command.SetVoters(epoch, List.of(1, 3)),
                new Command.SetVoterCount(epoch, 5),
                new Command.SetRebalance(epoch, RebalanceSettings.DEFAULT),
                new Command.Continue(eventful()),
                new Command.Recover(epoch, List.of(2)));
    }

    @Test
    void recoveredStateOfManyPartitionsFitsIntoOneCommand() throws MalformedStateException {
        ClusterState state = Clusters.formed(3, 131_072, 3);
        ClusterState recovered = Clusters.accepted(state, new Command.Recover(state.epoch(), List.of(1)));
        byte[] command = CommandCodec.encode(new Command.Continue(recovered));
        assertThat(StateCodec.encode(recovered)).hasSizeGreaterThan(TopologyLog.MAX_COMMAND_BYTES);
        assertThat(command).hasSizeLessThan(TopologyLog.MAX_COMMAND_BYTES);
        assertThat(CommandCodec.decode(command)).isEqualTo(new Command.Continue(recovered));
    }

    @Test
    void stateIsTheSameAfterTheWire() throws MalformedStateException {
        ClusterState state = eventful();
        assertThat(state.batches()).extracting(Batch::phase).contains(Phase.COPY, Phase.BOTH, Phase.FILL);
        assertThat(StateCodec.decode(StateCodec.encode(state))).isEqualTo(state).hasSameHashCodeAs(state);
        Batch both = state.batches().stream()
                .filter(batch -> batch.phase() == Phase.BOTH)
                .findFirst()
                .orElseThrow();
        ClusterState undone = Clusters.accepted(state, new Command.AbortBatch(state.epoch(), both.id()));
        assertThat(StateCodec.decode(StateCodec.encode(undone))).isEqualTo(undone);
        ClusterState wide = Clusters.raised(Clusters.joined(Clusters.formed(1, 16, 1)), 2);
        ClusterState growing = Clusters.growing(wide, 1, 2, PartitionSet.of(3));
        assertThat(StateCodec.decode(StateCodec.encode(growing))).isEqualTo(growing);
    }

    /** Nodes of release 0.1.0 read version 1 of the format. */
    @Test
    void onlyRecoveredStatesNeedTheNewestVersionOfTheFormat() throws MalformedStateException {
        ClusterState state = Clusters.formed(3, 16, 3);
        assertThat(StateCodec.encode(state)[0]).isEqualTo((byte) 1);
        ClusterState recovered = Clusters.accepted(state, new Command.Recover(state.epoch(), List.of(1)));
        byte[] bytes = StateCodec.encode(recovered);
        assertThat(bytes[0]).isEqualTo((byte) 2);
        assertThat(StateCodec.decode(bytes)).isEqualTo(recovered);
        assertThat(recovered.recoveredFrom()).containsExactly(state.epoch());
        byte[] forAll = StateCodec.encode(recovered.withoutRecoveries());
        assertThat(forAll[0]).isEqualTo((byte) 1);
        assertThat(StateCodec.decode(forAll).recoveredFrom()).isEmpty();
    }

    @Test
    void everyKindOfCommandIsTheSameAfterTheWire() throws MalformedStateException {
        assertThat(commands())
                .extracting(Object::getClass)
                .hasSameElementsAs(
                        Arrays.stream(Command.class.getPermittedSubclasses()).toList());
        for (Command command : commands()) {
            assertThat(CommandCodec.decode(CommandCodec.encode(command))).isEqualTo(command);
        }
    }

    @Test
    void stateOfManyNodesStaysBelowOneMegabyte() throws MalformedStateException {
        ClusterState state = large(1000, 1 << 14, 3);
        byte[] bytes = StateCodec.encode(state);
        assertThat(bytes).hasSizeLessThan(1_000_000);
        assertThat(StateCodec.decode(bytes)).isEqualTo(state);
    }

    @Test
    void rowsHaveTheSameSizeForMoreNodes() {
        int few = StateCodec.encode(large(20, 1 << 10, 3)).length - membersOf(20);
        int many = StateCodec.encode(large(500, 1 << 10, 3)).length - membersOf(500);
        assertThat(many).isEqualTo(few);
    }

    /** Returns the bytes of the members of {@link #large}, from the difference of two states of one partition. */
    private static int membersOf(int nodes) {
        return StateCodec.encode(large(nodes, 1, 3)).length - StateCodec.encode(large(3, 1, 3)).length;
    }

    private static ClusterState large(int nodes, int partitions, int replicas) {
        List<Command.Founder> founders = new ArrayList<>();
        for (int number = 1; number <= nodes; number++) {
            String host = String.format("node-%05d.rack-%03d.example.org", number, number % 40);
            founders.add(new Command.Founder(
                    new NodeId(String.format("node-%05d", number)),
                    Clusters.incarnation(number),
                    new MemberAttributes(
                            host + ":7000",
                            List.of("https://" + host + ":8080", "https://" + host + ":9090"),
                            1 + number % 3,
                            String.format("zone-%02d", number % 40))));
        }
        int[] owners = new int[partitions * replicas];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = (i / replicas + i % replicas * 7) % nodes + 1;
        }
        if (nodes < 20) {
            Arrays.setAll(owners, i -> i % replicas + 1);
        }
        Command.Form form = new Command.Form(
                Clusters.CLUSTER,
                Clusters.settings(partitions, replicas),
                founders,
                SlotTable.of(replicas, owners),
                List.of(1, 2, 3));
        return ((CommandResult.Accepted) StateMachine.apply(Optional.empty(), form)).state();
    }

    @Test
    void truncatedBytesGiveTheClearError() {
        refuseEveryBeginning(StateCodec.encode(eventful()), StateCodec::decode);
        commands().forEach(command -> refuseEveryBeginning(CommandCodec.encode(command), CommandCodec::decode));
    }

    private static void refuseEveryBeginning(byte[] bytes, Decoder decoder) {
        for (int length = 0; length < bytes.length; length++) {
            byte[] beginning = Arrays.copyOf(bytes, length);
            assertThatExceptionOfType(MalformedStateException.class)
                    .isThrownBy(() -> decoder.decode(beginning))
                    .withMessageStartingWith("malformed cluster state or command: ");
        }
        assertThatThrownBy(() -> decoder.decode(Arrays.copyOf(bytes, bytes.length + 1)))
                .hasMessageContaining("1 bytes follow its end");
    }

    @Test
    void damagedStatesFailOrDecodeToValidStates() throws MalformedStateException {
        SplittableRandom random = new SplittableRandom(1);
        byte[] state = StateCodec.encode(eventful());
        for (int run = 0; run < SearchEffort.of(40_000); run++) {
            byte[] bytes = damaged(state, random);
            try {
                ClusterState read = StateCodec.decode(bytes);
                read.check();
                assertThat(StateCodec.decode(StateCodec.encode(read))).isEqualTo(read);
            } catch (MalformedStateException e) {
                assertThat(e).hasMessageStartingWith("malformed cluster state or command: ");
            }
        }
    }

    @Test
    void damagedCommandsFailOrDecodeToValidCommands() throws MalformedStateException {
        SplittableRandom random = new SplittableRandom(2);
        ClusterState state = eventful();
        for (int run = 0; run < SearchEffort.of(3_000); run++) {
            for (Command command : commands()) {
                byte[] bytes = damaged(CommandCodec.encode(command), random);
                try {
                    Command read = CommandCodec.decode(bytes);
                    assertThat(CommandCodec.decode(CommandCodec.encode(read))).isEqualTo(read);
                    // Whatever can be read can be applied or refused.
                    StateMachine.apply(Optional.of(state), read);
                    StateMachine.apply(Optional.empty(), read);
                } catch (MalformedStateException e) {
                    assertThat(e).hasMessageStartingWith("malformed cluster state or command: ");
                }
            }
        }
    }

    private static byte[] damaged(byte[] bytes, SplittableRandom random) {
        byte[] damaged = bytes.clone();
        for (int flips = random.nextInt(3); flips >= 0; flips--) {
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return damaged;
    }

    @Test
    void lengthsThatLieAllocateNothing() {
        byte[] bytes = CommandCodec.encode(new Command.SetVoters(Epoch.FIRST, List.of(1)));
        ByteBuffer.wrap(bytes).putInt(2 + Long.BYTES, Integer.MAX_VALUE);
        assertThatThrownBy(() -> CommandCodec.decode(bytes))
                .isInstanceOf(MalformedStateException.class)
                .hasMessageContaining("2147483647 voters cannot stand in 4 bytes");
    }

    @Test
    void otherFormatsAndKindsAreNamed() {
        byte[] state = StateCodec.encode(eventful());
        byte[] command = CommandCodec.encode(new Command.Leave(Epoch.FIRST, 1));
        assertThatThrownBy(() -> StateCodec.decode(command)).hasMessageContaining("kind 6 is no state");
        assertThatThrownBy(() -> CommandCodec.decode(state)).hasMessageContaining("kind 0 is no command");
        state[0] = 3;
        assertThatThrownBy(() -> StateCodec.decode(state)).hasMessageContaining("version 3 of the format");
        command[0] = 2;
        assertThatThrownBy(() -> CommandCodec.decode(command)).hasMessageContaining("version 2 of the format");
    }
}
