package io.dht4j.core.internal.coordinator.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.core.SystemEnvironment;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class WriteDeadlinesTest {

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final WriteDeadlines deadlines = new WriteDeadlines(env);
    private final long start = env.nanoTime();
    private final List<Write> expired = new ArrayList<>();

    /** Records its end, and when. */
    private final class Write extends WriteDeadlines.Expiring {

        private final Duration at;

        Write(Duration at) {
            super(start + at.toNanos());
            this.at = at;
        }

        @Override
        void expire() {
            assertThat(env.elapsed()).isEqualTo(at);
            expired.add(this);
        }
    }

    private Write added(long millis) {
        Write write = new Write(Duration.ofMillis(millis));
        deadlines.add(write);
        return write;
    }

    @Test
    void eachWriteExpiresAtItsDeadlineUnlessItIsRemovedBefore() {
        SplittableRandom random = new SplittableRandom(7);
        List<Write> left = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            if (left.isEmpty() || random.nextInt(3) > 0) {
                left.add(added(random.nextInt(1, 300)));
            } else {
                deadlines.remove(left.remove(random.nextInt(left.size())));
            }
        }
        env.runUntilIdle();
        left.sort(Comparator.comparing(write -> write.at));
        assertThat(expired).containsExactlyInAnyOrderElementsOf(left);
        assertThat(expired).isSortedAccordingTo(Comparator.comparing(write -> write.at));
        assertThat(env.pendingTasks()).isZero();
    }

    @Test
    void otherWritesDoNotChangeAWritesDeadline() {
        SplittableRandom random = new SplittableRandom(8);
        List<Write> wanted = new ArrayList<>();
        for (int step = 0; step < 1000; step++) {
            long now = env.elapsed().toMillis();
            Write removed = added(now + random.nextInt(1, 50));
            wanted.add(added(now + random.nextInt(1, 50)));
            env.advance(Duration.ofMillis(random.nextInt(2)));
            if (expired.contains(removed)) {
                wanted.add(removed);
            } else {
                deadlines.remove(removed);
            }
        }
        env.runUntilIdle();
        assertThat(expired).containsExactlyInAnyOrderElementsOf(wanted);
    }

    @Test
    void writesOfOneTimeoutShareATimer() {
        for (int i = 0; i < 100; i++) {
            added(1000);
        }
        assertThat(env.pendingTasks()).isOne();
        added(500);
        assertThat(env.pendingTasks()).isOne();
    }

    @Test
    void aWriteThatEndsIsRetainedByNothing() {
        Write ended = added(1000);
        added(2000);
        deadlines.remove(ended);
        deadlines.remove(ended);
        env.runUntilIdle();
        assertThat(expired).hasSize(1).doesNotContain(ended);
    }

    @Test
    void closingWithoutWritesLeavesNoTimer() {
        deadlines.remove(added(1000));
        assertThat(env.pendingTasks()).isOne();
        deadlines.close();
        assertThat(env.pendingTasks()).isZero();
        added(2000);
        deadlines.close();
        env.runUntilIdle();
        assertThat(expired).hasSize(1);
    }

    @Test
    void aWriteIsRefusedOnceTheTimersHaveEnded() {
        SystemEnvironment ended = SystemEnvironment.create("ended");
        ended.close();
        WriteDeadlines refusing = new WriteDeadlines(ended);
        Write late = new Write(Duration.ofMillis(10));
        assertThatThrownBy(() -> refusing.add(late)).isInstanceOf(RejectedExecutionException.class);
        refusing.remove(late);
        deadlines.add(late);
        env.runUntilIdle();
        assertThat(expired).containsExactly(late);
    }
}
