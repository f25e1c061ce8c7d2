package io.dht4j.core.internal.membership.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.codec.MalformedStateException;
import io.dht4j.core.internal.membership.codec.StateCodec;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.Slot;
import io.dht4j.testkit.SearchEffort;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Applies random commands and checks after each that the state follows from the one before. */
@Tag("search")
final class RandomCommandsTest {

    private static final int STEPS = 800;

    private static final Map<Lifecycle, Set<Lifecycle>> TRANSITIONS = new EnumMap<>(Map.of(
            Lifecycle.ADMITTED, Set.of(Lifecycle.ADMITTED, Lifecycle.JOINING, Lifecycle.REMOVED),
            Lifecycle.JOINING, Set.of(Lifecycle.JOINING, Lifecycle.SERVING, Lifecycle.LEAVING, Lifecycle.DEAD),
            Lifecycle.SERVING, Set.of(Lifecycle.SERVING, Lifecycle.LEAVING, Lifecycle.DEAD),
            Lifecycle.LEAVING, Set.of(Lifecycle.LEAVING, Lifecycle.SERVING, Lifecycle.DEAD, Lifecycle.REMOVED),
            Lifecycle.DEAD, Set.of(Lifecycle.DEAD, Lifecycle.REMOVED),
            Lifecycle.REMOVED, Set.of(Lifecycle.REMOVED)));

    /** The members that hold everything of a partition, by what the commands declare: member and partition. */
    private final Set<List<Integer>> complete = new HashSet<>();

    static LongStream seeds() {
        return LongStream.range(0, SearchEffort.of(60));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyAcceptedCommandKeepsTheInvariants(long seed) throws MalformedStateException {
        SplittableRandom random = new SplittableRandom(seed);
        int replicas = 1 + random.nextInt(4);
        ClusterState state =
                Clusters.formed(replicas + random.nextInt(4), 1 << random.nextInt(2, 7), replicas, "a", "b");
        rememberOwners(state);
        RandomCommands commands = new RandomCommands(random);
        int accepted = 0;
        Set<Class<?>> kinds = new HashSet<>();
        for (int step = 0; step < STEPS; step++) {
            Command command = commands.next(state);
            assertThat(CommandCodec.decode(CommandCodec.encode(command))).isEqualTo(command);
            CommandResult result = StateMachine.apply(Optional.of(state), command);
            assertThat(StateMachine.apply(Optional.of(state), command)).isEqualTo(result);
            if (result instanceof CommandResult.Accepted next) {
                accepted++;
                kinds.add(command.getClass());
                checkStep(state, command, next.state());
                state = next.state();
            } else {
                CommandResult.Refused refused = (CommandResult.Refused) result;
                assertThat(refused.stale()).isEqualTo(command.expectedEpoch() != state.epoch());
                assertThat(refused.reason()).isNotBlank().contains(":").doesNotEndWith(".");
            }
        }
        assertThat(accepted).as("accepted commands of seed %d", seed).isGreaterThan(STEPS / 10);
        assertThat(kinds).hasSizeGreaterThan(8);
    }

    private void checkStep(ClusterState before, Command command, ClusterState after) throws MalformedStateException {
        after.check();
        boolean recovered = command instanceof Command.Recover;
        assertThat(after.epoch())
                .isEqualTo(recovered ? Epoch.nextGeneration(before.epoch()) : before.epoch() + 1)
                .isGreaterThan(before.epoch());
        assertThat(StateCodec.decode(StateCodec.encode(after))).isEqualTo(after);
        checkMembers(before, after);
        for (int partition = 0; partition < after.partitions(); partition++) {
            List<Slot> row = after.row(partition);
            boolean changed = recovered || !row.equals(before.row(partition));
            long version = changed ? after.epoch() : before.rowVersion(partition);
            long moving =
                    row.stream().filter(slot -> slot.phase() != Phase.STABLE).count();
            // Described only when it fails: there are millions of rows.
            if (after.rowVersion(partition) != version
                    || row.size() != after.width(partition)
                    || (row.size() < before.width(partition))
                    || moving != (after.batchOf(partition).isPresent() ? 1 : 0)) {
                throw new AssertionError("partition " + partition + " of version "
                        + Epoch.text(after.rowVersion(partition)) + " after " + command + ": " + row);
            }
        }
        checkReaders(command, before, after);
        if (!(command instanceof Command.MarkDead)) {
            checkFormerReaders(before, after);
        }
    }

    private static void checkMembers(ClusterState before, ClusterState after) {
        assertThat(after.members().size())
                .isGreaterThanOrEqualTo(before.members().size());
        for (Member old : before.members().all()) {
            Member now = after.members().get(old.number());
            assertThat(now.name()).isEqualTo(old.name());
            assertThat(now.incarnation()).isEqualTo(old.incarnation().or(now::incarnation));
            assertThat(TRANSITIONS.get(old.lifecycle())).contains(now.lifecycle());
        }
    }

    private void rememberOwners(ClusterState state) {
        for (int partition = 0; partition < state.partitions(); partition++) {
            for (Slot slot : state.row(partition)) {
                complete.add(List.of(slot.owner(), partition));
            }
        }
    }

    /** Checks that nobody is read who may lack something. */
    private void checkReaders(Command command, ClusterState before, ClusterState after) {
        if (command instanceof Command.AdvanceBatch advance && advance.next() == Phase.BOTH) {
            Batch batch = after.batch(advance.batch()).orElseThrow();
            batch.partitions().forEach(p -> complete.add(List.of(batch.to(), p)));
        } else if (command instanceof Command.CompleteFill fill) {
            int heir = before.batch(fill.batch()).orElseThrow().to();
            fill.partitions().forEach(p -> complete.add(List.of(heir, p)));
        } else if (command instanceof Command.CompleteGrow grow) {
            int heir = before.batch(grow.batch()).orElseThrow().to();
            grow.partitions().forEach(p -> complete.add(List.of(heir, p)));
        }
        // Writes no longer reach whoever has lost its slot.
        complete.removeIf(holder -> !after.involves(holder.get(1), holder.get(0)));
        for (int partition = 0; partition < after.partitions(); partition++) {
            for (Slot slot : after.row(partition)) {
                if (slot.reader() != Slot.NOBODY && !complete.contains(List.of(slot.reader(), partition))) {
                    throw new AssertionError(slot + " of partition " + partition + " after " + command);
                }
            }
        }
    }

    /**
     * Checks that writes by the new rows need each member that is read by the old ones: so it has installed the new
     * row, and refuses such reads, before a write is acknowledged that it lacks.
     */
    private static void checkFormerReaders(ClusterState before, ClusterState after) {
        for (int partition = 0; partition < after.partitions(); partition++) {
            List<Slot> row = after.row(partition);
            for (Slot slot : before.row(partition)) {
                int reader = slot.reader();
                boolean isAlive =
                        reader != Slot.NOBODY && before.members().get(reader).lifecycle() != Lifecycle.DEAD;
                if (isAlive && row.stream().noneMatch(each -> each.needs(reader))) {
                    throw new AssertionError(slot + " of partition " + partition + " is followed by " + row);
                }
            }
        }
    }

    @Test
    void theSameCommandsLeadToTheSameState() {
        assertThat(StateCodec.encode(run(7))).isEqualTo(StateCodec.encode(run(7)));
    }

    private static ClusterState run(long seed) {
        RandomCommands commands = new RandomCommands(new SplittableRandom(seed));
        ClusterState state = Clusters.formed(5, 32, 3);
        for (int step = 0; step < 300; step++) {
            if (StateMachine.apply(Optional.of(state), commands.next(state)) instanceof CommandResult.Accepted next) {
                state = next.state();
            }
        }
        return state;
    }
}
