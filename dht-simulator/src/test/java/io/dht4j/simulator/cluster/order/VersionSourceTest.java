package io.dht4j.simulator.cluster.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.UnavailableException;
import io.dht4j.Version;
import io.dht4j.core.internal.clock.HybridClock;
import io.dht4j.core.internal.clock.VersionSource;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node gives no version twice, however often it is killed and started again, and whatever its clock shows. */
class VersionSourceTest {

    private static final long MAX_SKEW_MILLIS = 60_000;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Duration BOUND = Duration.ofMinutes(1);

    private final VirtualEnvironment env = VirtualEnvironment.seeded(4);
    private final ModelStore store = new ModelStore();
    private VersionSource versions = start(store);

    /** What a node has after a kill: what the store has kept, and nothing else. */
    private VersionSource start(Store over) {
        HybridClock clock = new HybridClock(env::currentTimeMillis, env::nanoTime, MAX_SKEW_MILLIS, 3, 128);
        VersionSource started = new VersionSource(clock, env, Optional.of(over));
        started.load();
        return started;
    }

    private Version use(Version version) {
        if (!versions.isReserved(version)) {
            env.await(versions.reserve(version, SECOND), BOUND);
        }
        return version;
    }

    private long aheadMillis(Version version) {
        return version.millis() - env.currentTimeMillis();
    }

    @Test
    void versionsGrowAcrossKillsAndClockSetbacks() {
        Version last = use(versions.next());
        for (int i = 0; i < 5; i++) {
            env.setClockOffset(Duration.ofSeconds(-5L * i));
            versions = start(store);
            Version next = use(versions.next());
            assertThat(next).isGreaterThan(last);
            last = next;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 30, 59, 61, 3_600})
    void afterAKillAnotherVersionSupersedesTheSameOne(int secondsAhead) {
        Version newest = Version.of(env.currentTimeMillis() + 1_000L * secondsAhead, 7);
        Version last = newest;
        for (int i = 0; i < 5; i++) {
            Version above = use(versions.above(newest));
            assertThat(above).isGreaterThan(last);
            last = above;
            versions = start(store);
        }
    }

    @Test
    void manyKillsDoNotMakeTheClockRunAway() {
        for (int i = 0; i < 100; i++) {
            use(versions.next());
            versions = start(store);
        }
        assertThat(aheadMillis(versions.next())).isLessThan(20_000);
    }

    @Test
    void orderlyRestartContinuesFromTheLastVersion() {
        Version last = use(versions.next());
        versions.close();
        versions = start(store);
        Version next = use(versions.next());
        assertThat(next).isGreaterThan(last);
        assertThat(aheadMillis(next)).isLessThan(10);
    }

    @Test
    void aClosedSourceLeavesTheStoreAlone() {
        int[] notes = new int[1];
        versions = start(new ForwardingStore(store) {
            @Override
            public void keepNote(String name, byte[] content) {
                notes[0]++;
                super.keepNote(name, content);
            }
        });
        versions.prepare();
        versions.close();
        env.advance(BOUND);
        assertThat(notes[0]).isZero();
    }

    @Test
    void aClockThatWasWrongForAWhileLeavesNoTrace() {
        env.setClockOffset(Duration.ofHours(1));
        // Its clock had heard of nobody, so that it has followed its wrong wall clock.
        versions = start(store);
        env.await(versions.reserve(versions.next(), SECOND), BOUND);
        env.setClockOffset(Duration.ZERO);
        versions = start(store);
        Version right = use(versions.next());
        assertThat(aheadMillis(right)).isLessThan(10);
        versions = start(store);
        assertThat(use(versions.next())).isGreaterThan(right);
    }

    @Test
    void killedNodeRepeatsNoVersionAfterAClockJump() {
        long ahead = env.currentTimeMillis() + MAX_SKEW_MILLIS - 5_000;
        Set<Version> given = new HashSet<>();
        for (int start = 0; start < 6; start++) {
            boolean isRight = start % 2 == 0;
            // What the wrong clock does not come to, the right one does again, after two starts.
            for (int offset = 0; offset <= (isRight ? 1_000 : 0); offset += 50) {
                Version above = use(versions.above(Version.of(ahead + offset, 0)));
                assertThat(given.add(above))
                        .as("%s of start %d is new", above, start)
                        .isTrue();
            }
            env.setClockOffset(Duration.ofSeconds(isRight ? -7 : 0));
            versions = start(store);
        }
    }

    @Test
    void theBoundIsRaisedBeforeItIsReached() {
        use(versions.next());
        for (int i = 0; i < 100; i++) {
            env.advance(Duration.ofSeconds(1));
            assertThat(versions.isReserved(versions.next())).isTrue();
        }
    }

    @Test
    void aStoreThatCannotKeepTheBoundStopsNoWrite() {
        versions = start(new ForwardingStore(store) {
            @Override
            public void keepNote(String name, byte[] bytes) {
                throw new StoreException("no room");
            }
        });
        for (int i = 0; i < 20; i++) {
            use(versions.next());
            env.advance(Duration.ofSeconds(7));
        }
    }

    @Test
    void aStoreThatIsStuckIsWaitedForOnceAndNotForLong() {
        env.setStoreThreads(1);
        env.occupyStoreThread(Duration.ofHours(1));
        env.await(versions.reserve(versions.next(), SECOND), Duration.ofSeconds(1));
        assertThat(versions.isReserved(versions.next())).isTrue();
    }

    @Test
    void aCallerWhoCannotWaitIsAnsweredByItsDeadline() {
        env.setStoreThreads(1);
        env.occupyStoreThread(Duration.ofHours(1));
        var reserved = versions.reserve(versions.next(), TimeUnit.MILLISECONDS.toNanos(50));
        assertThatThrownBy(() -> env.await(reserved, Duration.ofMillis(51)))
                .isInstanceOf(UnavailableException.class)
                .hasMessageStartingWith("nothing done");
        assertThat(versions.isReserved(versions.next()))
                .as("that says nothing of the store")
                .isFalse();
    }

    @Test
    void aCallerWhoseDeadlineHasComeIsAnsweredAtThatInstant() {
        env.setStoreThreads(1);
        env.occupyStoreThread(Duration.ofHours(1));
        long deadline = env.nanoTime();
        var reserved = versions.reserve(versions.next(), 0);
        assertThatThrownBy(() -> env.await(reserved, BOUND)).isInstanceOf(UnavailableException.class);
        assertThat(env.nanoTime()).isEqualTo(deadline);
    }

    @Test
    void closingFailsWaitingReservations() {
        var reserved = versions.reserve(versions.next(), SECOND);
        versions.close();
        assertThat(reserved).isCompletedExceptionally();
        assertThat(versions.reserve(versions.next(), SECOND)).isCompletedExceptionally();
    }

    private static final Version ANY = new Version(0);

    @Test
    void ballotsAreNeverIssuedAgainAfterAKill() {
        Version last = ANY;
        for (int i = 0; i < 5; i++) {
            env.setClockOffset(Duration.ofSeconds(-5L * i));
            versions = start(store);
            Version ballot = env.await(versions.ballot(ANY, SECOND), BOUND);
            assertThat(ballot).isGreaterThan(last);
            last = env.await(versions.ballot(ballot, SECOND), BOUND);
            assertThat(last).isGreaterThan(ballot);
        }
    }

    @Test
    void aBallotFailsWhereAWriteGoesOnWithoutItsBound() {
        versions = start(new ForwardingStore(store) {
            @Override
            public void keepNote(String name, byte[] bytes) {
                throw new StoreException("no space left");
            }
        });
        use(versions.next());
        assertThatThrownBy(() -> env.await(versions.ballot(ANY, SECOND), BOUND))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("cannot record");
    }

    @Test
    void aBallotAboveOneOfAWrongClockFails() {
        Version wrong = Version.of(env.currentTimeMillis() + 10 * MAX_SKEW_MILLIS, 0);
        assertThatThrownBy(() -> env.await(versions.ballot(wrong, SECOND), BOUND))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("too far ahead");
    }
}
