package io.dht4j.core.internal.membership.agreed.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The state machine behind the topology log. */
class ReplicatedStateTest {

    private static final byte[] FORM = CommandCodec.encode(Clusters.form(3, 8, 3));

    private final List<ClusterState> states = new ArrayList<>();
    private final ReplicatedState machine = new ReplicatedState(states::add, leads -> {});

    private static byte[] admit(long epoch, String name) {
        return CommandCodec.encode(new Command.Admit(epoch, new NodeId(name)));
    }

    private Appended result(long index) {
        return machine.result(index).orElseThrow();
    }

    @Test
    void resultsAreKeptByIndex() {
        machine.apply(3, admit(0, "a"));
        machine.apply(4, FORM);
        machine.apply(9, admit(Epoch.FIRST, "a"));
        machine.apply(10, admit(Epoch.FIRST, "b"));

        assertThat(result(3).outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(result(3).reason()).contains("not formed yet");
        assertThat(result(4).outcome()).isEqualTo(Outcome.ACCEPTED);
        assertThat(result(9).outcome()).isEqualTo(Outcome.ACCEPTED);
        assertThat(result(9).epoch()).isEqualTo(Epoch.next(Epoch.FIRST));
        assertThat(result(10).outcome()).isEqualTo(Outcome.STALE);
        assertThat(machine.result(5)).isEmpty();
        assertThat(states).extracting(ClusterState::epoch).containsExactly(Epoch.FIRST, Epoch.next(Epoch.FIRST));
    }

    @Test
    void repeatedCommandHasTheResultOfTheFirst() {
        machine.apply(1, FORM);
        machine.apply(2, admit(Epoch.FIRST, "a"));
        machine.apply(3, admit(Epoch.next(Epoch.FIRST), "b"));
        ClusterState newest = machine.state().orElseThrow();

        machine.apply(4, admit(Epoch.FIRST, "a"));
        assertThat(machine.result(4)).isEqualTo(machine.result(2));
        assertThat(machine.state()).containsSame(newest);
        assertThat(states).hasSize(3);

        // Another one that expects the same epoch.
        machine.apply(5, admit(Epoch.FIRST, "c"));
        assertThat(result(5).outcome()).isEqualTo(Outcome.STALE);
    }

    @Test
    void bytesThatAreNoCommandAreRefused() {
        machine.apply(1, FORM);
        machine.apply(2, new byte[0]);
        machine.apply(3, new byte[] {99, 1});
        machine.apply(4, new byte[] {1, 99});
        byte[] longer = admit(Epoch.FIRST, "a");
        machine.apply(5, Arrays.copyOf(longer, longer.length + 1));

        for (long index = 2; index <= 5; index++) {
            assertThat(result(index).outcome()).isEqualTo(Outcome.REFUSED);
            assertThat(result(index).reason()).contains("cannot be read", "of the same version");
        }
        assertThat(machine.state().orElseThrow().epoch()).isEqualTo(Epoch.FIRST);
    }

    @Test
    void aSnapshotMakesAnEqualMachine() {
        ReplicatedState other = new ReplicatedState(states::add, leads -> {});
        other.restore(1, machine.snapshot());
        assertThat(other.state()).isEmpty();

        machine.apply(1, FORM);
        machine.apply(2, admit(Epoch.FIRST, "a"));
        states.clear();
        other.restore(2, machine.snapshot());
        assertThat(other.state()).isEqualTo(machine.state());
        assertThat(states).containsExactly(machine.state().orElseThrow());

        other.apply(3, admit(Epoch.FIRST, "b"));
        assertThat(other.result(3).orElseThrow().outcome()).isEqualTo(Outcome.STALE);
    }

    @Test
    void aSnapshotThatCannotBeReadStopsTheMember() {
        assertThatThrownBy(() -> machine.restore(1, new byte[] {1, 2, 3})).hasMessageContaining("cannot be read");
        assertThat(machine.state()).isEqualTo(Optional.empty());
    }

    @Test
    void onlyTheNewestResultsAreKept() {
        for (long index = 1; index <= 2000; index++) {
            machine.apply(index, new byte[0]);
        }
        assertThat(machine.result(1)).isEmpty();
        assertThat(machine.result(2000)).isPresent();
    }

    @Test
    void resultsDoNotKeepTheStatesToWhichTheyHaveLed() {
        List<WeakReference<ClusterState>> earlier = new ArrayList<>();
        ReplicatedState other = new ReplicatedState(state -> earlier.add(new WeakReference<>(state)), leads -> {});
        other.apply(1, FORM);
        long epoch = Epoch.FIRST;
        for (int i = 0; i < 100; i++) {
            other.apply(2 + i, admit(epoch, "n" + (10 + i)));
            epoch = Epoch.next(epoch);
        }
        assertThat(earlier).hasSize(101);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            System.gc();
            assertThat(earlier).filteredOn(state -> state.get() != null).hasSize(1);
        });
        assertThat(other.result(101).orElseThrow().epoch()).isEqualTo(epoch);
    }
}
