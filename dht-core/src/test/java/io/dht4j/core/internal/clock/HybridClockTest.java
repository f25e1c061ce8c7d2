package io.dht4j.core.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Version;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HybridClockTest {

    private final AtomicLong wall = new AtomicLong(1_000_000);
    private final HybridClock clock = new HybridClock(wall::get, 60_000);

    @Test
    void versionsGrowWhileTheWallClockStandsOrGoesBack() {
        Version first = clock.next();
        Version second = clock.next();
        wall.addAndGet(-500);
        Version third = clock.next();
        assertThat(first).isLessThan(second);
        assertThat(second).isLessThan(third);
        assertThat(first.millis()).isEqualTo(1_000_000);
    }

    @Test
    void versionsFollowAnAdvancingWallClock() {
        clock.next();
        wall.addAndGet(10);
        assertThat(clock.next()).isEqualTo(Version.of(1_000_010, 0));
    }

    @Test
    void aFullCounterCarriesIntoTheMilliseconds() {
        clock.observe(Version.of(1_000_000, Version.MAX_COUNTER));
        assertThat(clock.next()).isEqualTo(Version.of(1_000_001, 0));
    }

    @Test
    void nextVersionExceedsAnObservedOne() {
        Version seen = Version.of(1_030_000, 7);
        assertThat(clock.observe(seen)).isTrue();
        assertThat(clock.next()).isGreaterThan(seen);
    }

    @Test
    void aVersionTooFarAheadIsRefusedAndForgotten() {
        assertThat(clock.observe(Version.of(1_060_000, 0))).isTrue();
        assertThat(clock.observe(Version.of(1_060_001, 0))).isFalse();
        assertThat(clock.observe(new Version(-1))).isFalse();
        assertThat(clock.next().millis()).isEqualTo(1_060_000);
    }

    @Test
    void clockResumesAfterItsAcceptedPastOnly() {
        Version past = Version.of(1_059_000, 1);
        assertThat(clock.observe(past)).isTrue();
        assertThat(clock.next()).isEqualTo(Version.of(1_059_000, 2));
        assertThat(clock.observe(Version.of(9_000_000, 1))).isFalse();
        assertThat(clock.next()).isEqualTo(Version.of(1_059_000, 3));
    }

    @Test
    void versionAboveAnotherExceedsAllEarlierOnes() {
        HybridClock ofASlot = new HybridClock(wall::get, () -> 0, 60_000, 3, 8);
        Version newest = Version.of(1_050_000, 9);
        Version above = ofASlot.above(newest);
        assertThat(above).isGreaterThan(newest);
        assertThat(above.millis()).isEqualTo(1_050_000);
        assertThat(ofASlot.next()).isGreaterThan(above);
        assertThat(ofASlot.above(Version.of(5, 0)))
                .as("its own are superseded too")
                .isGreaterThan(above);
    }

    @Test
    void aVersionBeyondTheLimitIsGivenAndNotFollowed() {
        HybridClock ofASlot = new HybridClock(wall::get, () -> 0, 60_000, 3, 8);
        Version newest = Version.of(1_070_000, 9);
        Version above = ofASlot.above(newest);
        assertThat(above).isGreaterThan(newest);
        assertThat(above.millis()).isEqualTo(1_070_000);
        assertThat(ofASlot.next().millis()).isEqualTo(1_000_000);
        assertThat(ofASlot.above(newest)).as("none twice").isGreaterThan(above);
        wall.addAndGet(20_000);
        assertThat(ofASlot.above(newest)).as("now it is within the limit").isGreaterThan(above);
    }

    @Test
    void concurrentCallsNeverGetTheSameVersion() {
        HybridClock ofASlot = new HybridClock(wall::get, () -> 0, 1_000, 3, 8);
        Set<Version> given = ConcurrentHashMap.newKeySet();
        SplittableRandom seeds = new SplittableRandom(9);
        List<SplittableRandom> randoms =
                IntStream.range(0, 8).mapToObj(i -> seeds.split()).toList();
        randoms.parallelStream().forEach(random -> {
            for (int i = 0; i < 20_000; i++) {
                Version version = random.nextInt(3) == 0
                        ? ofASlot.next()
                        : ofASlot.above(Version.of(1_000_000 + random.nextInt(3_000), random.nextInt(100)));
                assertThat(given.add(version)).as("%s is new", version).isTrue();
                if (random.nextInt(50) == 0) {
                    wall.addAndGet(random.nextInt(20) - 5);
                }
            }
        });
    }

    @Test
    void clockSetBackStillAcceptsCorrectVersions() {
        AtomicLong nanos = new AtomicLong();
        HybridClock setBack = new HybridClock(wall::get, nanos::get, 60_000, 3, 8);
        wall.addAndGet(-600_000);
        nanos.addAndGet(10_000_000_000L);
        assertThat(setBack.observe(Version.of(1_069_000, 0))).isTrue();
        assertThat(setBack.observe(Version.of(1_071_000, 0))).isFalse();
    }

    @Test
    void noVersionIsGivenTwice() {
        Set<Version> given = ConcurrentHashMap.newKeySet();
        long distinct = IntStream.range(0, 100_000)
                .parallel()
                .filter(i -> given.add(clock.next()))
                .count();
        assertThat(distinct).isEqualTo(100_000);
    }

    @Test
    void nodesNeverIssueTheSameVersion() {
        SplittableRandom random = new SplittableRandom(5);
        List<HybridClock> clocks = IntStream.range(0, 8)
                .mapToObj(slot -> new HybridClock(wall::get, () -> 0, 60_000, slot, 8))
                .toList();
        Set<Version> given = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            HybridClock giver = clocks.get(random.nextInt(8));
            Version before = giver.current();
            Version version = giver.next();
            assertThat(given.add(version)).as("%s is new", version).isTrue();
            assertThat(version).isGreaterThanOrEqualTo(before);
            if (random.nextInt(3) == 0) {
                clocks.get(random.nextInt(8)).observe(version);
            }
            if (random.nextInt(100) == 0) {
                wall.incrementAndGet();
            }
        }
    }
}
