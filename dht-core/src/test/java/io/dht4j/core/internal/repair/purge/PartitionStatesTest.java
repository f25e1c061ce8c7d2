package io.dht4j.core.internal.repair.purge;

import static io.dht4j.core.internal.repair.purge.PartitionState.BROKEN;
import static io.dht4j.core.internal.repair.purge.PartitionState.FENCED;
import static io.dht4j.core.internal.repair.purge.PartitionState.OPEN;
import static io.dht4j.core.internal.repair.purge.PartitionState.PURGED;
import static io.dht4j.core.internal.repair.purge.PartitionState.ROLLED_BACK;
import static io.dht4j.core.internal.repair.purge.PartitionState.SEALED;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Version;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The table of states and transitions in {@link PartitionStates}. */
final class PartitionStatesTest {

    private static final Version EARLIER = new Version(50);
    private static final Version SEAL = new Version(100);
    private static final Version NEXT = new Version(200);

    private final PartitionStates states = new PartitionStates(1, partition -> false, partition -> false);

    private void isIn(PartitionState state) {
        assertThat(states.state(0)).isEqualTo(state);
    }

    private void prepared() {
        states.seal(0, SEAL);
        assertThat(states.prepare(0, SEAL)).isTrue();
    }

    private void committed() {
        prepared();
        assertThat(states.commit(0, SEAL)).isTrue();
    }

    @Test
    void openPartitionAcceptsAllAndVotesNo() {
        isIn(OPEN);
        states.accepted(0, EARLIER);
        assertThat(states.prepare(0, SEAL)).isFalse();
        assertThat(states.commit(0, SEAL)).isFalse();
        isIn(OPEN);
        assertThat(states.refuses(0, EARLIER, false)).isFalse();
    }

    @Test
    void sealedPartitionVotesYesOnlyForItsSeal() {
        assertThat(states.seal(0, SEAL)).isTrue();
        isIn(SEALED);
        assertThat(states.refuses(0, EARLIER, false)).isFalse();
        assertThat(states.prepare(0, NEXT)).isFalse();
        assertThat(states.commit(0, SEAL)).isFalse();
        isIn(SEALED);
        assertThat(states.prepare(0, SEAL)).isTrue();
        isIn(FENCED);
    }

    @Test
    void olderEntryBreaksTheSealUntilTheNextOne() {
        states.seal(0, SEAL);
        states.accepted(0, SEAL);
        isIn(SEALED);
        states.accepted(0, EARLIER);
        isIn(BROKEN);
        assertThat(states.seal(0, SEAL)).isTrue();
        isIn(BROKEN);
        assertThat(states.prepare(0, SEAL)).isFalse();
        states.seal(0, NEXT);
        isIn(SEALED);
        assertThat(states.prepare(0, NEXT)).isTrue();
    }

    @Test
    void olderSealChangesNothing() {
        states.seal(0, NEXT);
        assertThat(states.seal(0, SEAL)).isFalse();
        assertThat(states.prepare(0, SEAL)).isFalse();
        assertThat(states.prepare(0, NEXT)).isTrue();
    }

    @Test
    void fencedPartitionRefusesOlderEntriesAndCommits() {
        prepared();
        isIn(FENCED);
        assertThat(states.refuses(0, EARLIER, false)).isTrue();
        assertThat(states.refuses(0, SEAL, false)).isFalse();
        assertThat(states.purged(0)).isEqualTo(new Version(0));
        assertThat(states.commit(0, EARLIER)).isFalse();
        isIn(FENCED);
        assertThat(states.commit(0, SEAL)).isTrue();
        isIn(PURGED);
        assertThat(states.purged(0)).isEqualTo(SEAL);
    }

    @Test
    void transactionInDoubtIsResolvedByTheNextSession() {
        prepared();
        states.seal(0, NEXT);
        isIn(SEALED);
        assertThat(states.commit(0, SEAL)).as("a late message").isFalse();
        assertThat(states.resolve(0, SEAL, EARLIER)).as("of an older session").isFalse();
        assertThat(states.resolve(0, NEXT, NEXT))
                .as("not voted for by this replica")
                .isFalse();
        assertThat(states.resolve(0, SEAL, NEXT))
                .as("some replica has committed")
                .isTrue();
        assertThat(states.purged(0)).isEqualTo(SEAL);
        isIn(SEALED);
    }

    @Test
    void uncommittedTransactionIsAborted() {
        prepared();
        states.seal(0, NEXT);
        assertThat(states.resolve(0, new Version(0), NEXT)).isFalse();
        assertThat(states.fenced(0)).isEqualTo(new Version(0));
        assertThat(states.refuses(0, EARLIER, false)).isFalse();
    }

    @Test
    void transactionOfTheSessionItselfIsNotInDoubt() {
        prepared();
        assertThat(states.resolve(0, new Version(0), SEAL)).isFalse();
        isIn(FENCED);
    }

    @Test
    void rolledBackReplicaVotesNoUntilItHasCaughtUp() {
        states.seal(0, NEXT);
        assertThat(states.rollBack(0, SEAL)).isTrue();
        assertThat(states.rollBack(0, SEAL)).as("known already").isFalse();
        isIn(ROLLED_BACK);
        assertThat(states.prepare(0, NEXT)).isFalse();
        assertThat(states.refuses(0, EARLIER, false)).isTrue();
        assertThat(states.refuses(0, EARLIER, true)).isFalse();
        assertThat(states.catchUp(0, EARLIER, true)).as("not the known one").isFalse();
        assertThat(states.catchUp(0, SEAL, true)).isTrue();
        isIn(ROLLED_BACK);
        states.endRollback(0, SEAL);
        assertThat(states.purged(0)).isEqualTo(SEAL);
        assertThat(states.refuses(0, EARLIER, true)).isTrue();
        isIn(SEALED);
    }

    @Test
    void unconfirmedWatermarkIsNotAdopted() {
        states.rollBack(0, SEAL);
        assertThat(states.catchUp(0, SEAL, false)).isTrue();
        states.endRollback(0, SEAL);
        isIn(OPEN);
        assertThat(states.purged(0)).isEqualTo(new Version(0));
    }

    @Test
    void rollbackToAHigherWatermarkLasts() {
        states.rollBack(0, SEAL);
        states.rollBack(0, NEXT);
        assertThat(states.catchUp(0, SEAL, true)).isFalse();
        states.endRollback(0, SEAL);
        isIn(ROLLED_BACK);
    }

    @Test
    void watermarksOfOthersBelowTheOwnVoteShowNoRollback() {
        prepared();
        assertThat(states.rollBack(0, SEAL)).isFalse();
        isIn(FENCED);
    }

    @Test
    void watermarksSurviveARestartAndSealsDoNot() {
        prepared();
        assertThat(restarted(states).state(0)).isEqualTo(FENCED);
        states.commit(0, SEAL);
        PartitionStates after = restarted(states);
        assertThat(after.state(0)).isEqualTo(PURGED);
        assertThat(after.seals()).containsExactly(0);
        assertThat(after.prepare(0, SEAL)).isFalse();
        assertThat(after.refuses(0, EARLIER, false)).isTrue();
    }

    private static PartitionStates restarted(PartitionStates before) {
        PartitionStates after = new PartitionStates(1, partition -> false, partition -> false);
        after.restore(before.fences(), before.purges(), before.rollbacks());
        return after;
    }

    /** Replicas vote and commit in any order, lose messages and restart; the invariants of the watermarks hold. */
    @Test
    void noReplicaPurgesWhatAnotherHasNotVotedFor() {
        SplittableRandom random = new SplittableRandom(3);
        Set<PartitionState> seen = new HashSet<>();
        for (int run = 0; run < 300; run++) {
            List<PartitionStates> replicas = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                replicas.add(new PartitionStates(1, partition -> false, partition -> false));
            }
            for (int session = 1; session < 8; session++) {
                runSession(replicas, new Version(session * 100L), random);
                for (PartitionStates replica : replicas) {
                    seen.add(replica.state(0));
                    for (PartitionStates other : replicas) {
                        assertThat(replica.purged(0).compareTo(other.fenced(0)))
                                .as("purged at most what each has voted for")
                                .isNotPositive();
                    }
                }
            }
        }
        assertThat(seen).containsExactlyInAnyOrder(OPEN, SEALED, BROKEN, FENCED, PURGED);
    }

    private static void runSession(List<PartitionStates> replicas, Version seal, SplittableRandom random) {
        boolean all = true;
        for (int i = 0; i < replicas.size(); i++) {
            if (random.nextInt(8) == 0) {
                replicas.set(i, restarted(replicas.get(i)));
            }
            all &= random.nextInt(6) > 0 && replicas.get(i).seal(0, seal);
        }
        if (all) {
            Version outcome = replicas.stream()
                    .map(replica -> replica.purged(0))
                    .max(Version::compareTo)
                    .orElseThrow();
            replicas.forEach(replica -> replica.resolve(0, outcome, seal));
        }
        for (PartitionStates replica : replicas) {
            Version older = new Version(random.nextLong(seal.packed()));
            if (random.nextInt(4) == 0 && !replica.refuses(0, older, false)) {
                replica.accepted(0, older);
            }
        }
        boolean agreed = all;
        for (PartitionStates replica : replicas) {
            agreed = agreed && random.nextInt(6) > 0 && replica.prepare(0, seal);
        }
        if (agreed) {
            replicas.stream().filter(replica -> random.nextInt(6) > 0).forEach(replica -> replica.commit(0, seal));
        }
    }
}
