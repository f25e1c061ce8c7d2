package io.dht4j.core.internal.membership.agreed.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.HashFunctions;
import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.agreed.formation.NodeNotes;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InstalledStateTest {

    private final VirtualEnvironment environment = VirtualEnvironment.seeded(1);
    private final List<ClusterState> listened = new ArrayList<>();

    /** Runs when the next note is stored. */
    private Runnable whileStoring = () -> {};

    private final NodeNotes notes = new NodeNotes(
            new ForwardingStore(new ModelStore()) {
                @Override
                public void keepNote(String name, byte[] bytes) {
                    Runnable now = whileStoring;
                    whileStoring = () -> {};
                    now.run();
                    super.keepNote(name, bytes);
                }
            },
            Clusters.name(1));

    private static NodeNotes.Identity identity(ClusterState state) {
        return new NodeNotes.Identity(Clusters.incarnation(1), Optional.of(state.cluster()), "bound");
    }

    private InstalledState begun(ClusterState first) {
        InstalledState installed = new InstalledState(
                notes, identity(first), Clusters.name(1), HashFunctions.xxh3(), environment, () -> {}, listened::add);
        installed.offer(first);
        environment.advance(Duration.ofSeconds(1));
        return installed;
    }

    @Test
    void olderStateDoesNotReplaceOneBeingStored() {
        ClusterState first = Clusters.formed(3, 8, 3);
        ClusterState older = Clusters.accepted(first, new Command.Admit(first.epoch(), Clusters.name(4)));
        ClusterState newer = Clusters.accepted(older, new Command.Admit(older.epoch(), Clusters.name(5)));
        InstalledState installed = begun(first);

        List<CompletableFuture<ClusterState>> late = new ArrayList<>();
        whileStoring = () -> late.add(installed.offer(older));
        CompletableFuture<ClusterState> result = installed.offer(newer);
        environment.advance(Duration.ofSeconds(1));

        assertThat(result).isCompletedWithValue(newer);
        assertThat(late).singleElement().satisfies(each -> assertThat(each).isCompletedWithValue(newer));
        assertThat(installed.state()).contains(newer);
        assertThat(notes.state(identity(first))).contains(newer);
        assertThat(listened).containsExactly(first, newer);
    }

    @Test
    void aStoreThatRefusesIsNamedUntilItTakesAState() {
        ClusterState first = Clusters.formed(3, 8, 3);
        ClusterState second = Clusters.accepted(first, new Command.Admit(first.epoch(), Clusters.name(4)));
        ClusterState third = Clusters.accepted(second, new Command.Admit(second.epoch(), Clusters.name(5)));
        InstalledState installed = begun(first);
        for (ClusterState newer : List.of(second, third)) {
            whileStoring = () -> {
                throw new StoreException("n1 refuses writes: no space left");
            };
            assertThat(installed.offer(newer)).isNotDone();
            environment.advance(Duration.ofSeconds(1));
        }
        assertThat(installed.trouble())
                .contains("n1 to install a newer state than that of epoch 1.1, which fails: n1 refuses writes: no"
                        + " space left");
        installed.offer(third);
        environment.advance(Duration.ofSeconds(1));
        assertThat(installed.trouble()).isEmpty();
    }

    @Test
    void nothingIsInstalledOnceItIsClosed() {
        ClusterState first = Clusters.formed(3, 8, 3);
        ClusterState newer = Clusters.accepted(first, new Command.Admit(first.epoch(), Clusters.name(4)));
        InstalledState installed = begun(first);
        CompletableFuture<ClusterState> late = installed.offer(newer);
        installed.close();
        environment.advance(Duration.ofSeconds(1));
        assertThat(late).isCompletedExceptionally();
        assertThat(notes.state(identity(first))).contains(first);
        assertThat(listened).containsExactly(first);
    }
}
