package io.dht4j.core.internal.replica.promise;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.replica.promise.Promises.Verdict;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PromisesTest {

    private static final Key KEY = Key.of("k");
    private static final Entry REGISTER = Entry.value(KEY, ballot(10), new byte[] {1}, Entry.NEVER);
    private static final Duration BOUND = Duration.ofMinutes(1);
    private static final long MOST_BYTES = 64 * 1024;

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final ModelStore store = new ModelStore();
    private final AtomicInteger repeated = new AtomicInteger();
    private Promises promises = started();

    private Promises started() {
        Promises fresh = new Promises(4, MOST_BYTES, store, env);
        fresh.resume();
        return fresh;
    }

    private static Version ballot(long packed) {
        return new Version(packed);
    }

    private Verdict promise(Key key, long packed, long rowVersion) {
        if (!promises.permits(ballot(packed))) {
            env.await(promises.permit(ballot(packed)), BOUND);
        }
        return promises.promise(key, 0, ballot(packed), rowVersion, repeated::incrementAndGet);
    }

    @Test
    void lowerAndEqualBallotsAreRefused() {
        assertThat(promise(KEY, 10, 1)).isEqualTo(Verdict.GIVEN);
        assertThat(promise(KEY, 9, 1)).isEqualTo(Verdict.REFUSED);
        assertThat(promise(KEY, 10, 1)).isEqualTo(Verdict.REFUSED);
        assertThat(promises.highest(KEY, 0)).isEqualTo(ballot(10));
        assertThat(promise(Key.of("other"), 9, 1)).isEqualTo(Verdict.GIVEN);
    }

    @Test
    void anAcceptNeedsTheBallotAndItsRow() {
        promise(KEY, 10, 1);
        assertThat(promises.begin(KEY, ballot(9), 1)).isEqualTo(Verdict.REFUSED);
        assertThat(promises.begin(KEY, ballot(11), 1)).isEqualTo(Verdict.REFUSED);
        assertThat(promises.begin(KEY, ballot(10), 2)).isEqualTo(Verdict.REFUSED);
        assertThat(promises.begin(Key.of("other"), ballot(10), 1)).isEqualTo(Verdict.REFUSED);
        assertThat(promises.begin(KEY, ballot(10), 1)).isEqualTo(Verdict.GIVEN);
    }

    @Test
    void promisesWaitForAnAcceptThatIsBeingStored() {
        promise(KEY, 10, 1);
        promises.begin(KEY, ballot(10), 1);
        assertThat(promise(KEY, 20, 1)).isEqualTo(Verdict.WAITS);
        assertThat(promises.state(KEY)).isEqualTo(Verdict.WAITS);
        assertThat(promises.begin(KEY, ballot(10), 1)).isEqualTo(Verdict.REFUSED);
        promises.end(List.of(REGISTER));
        assertThat(repeated).hasValue(1);
        assertThat(promises.state(KEY)).isEqualTo(Verdict.GIVEN);
        assertThat(promise(KEY, 20, 1)).isEqualTo(Verdict.GIVEN);
    }

    @Test
    void afterAFailedWriteAKeyIsNotReadUntilTheNextOne() {
        Entry doubtful = Entry.value(KEY, ballot(10), new byte[] {1}, Entry.NEVER);
        promise(KEY, 10, 1);
        promises.begin(KEY, ballot(10), 1);
        assertThat(promise(KEY, 20, 1)).isEqualTo(Verdict.WAITS);
        promises.fail(List.of(doubtful));
        assertThat(repeated).hasValue(1);
        assertThat(promises.state(KEY)).isEqualTo(Verdict.BROKEN);
        assertThat(promise(KEY, 20, 1)).isEqualTo(Verdict.GIVEN);
        assertThat(promises.doubtful(KEY)).contains(doubtful);
        promises.begin(KEY, ballot(20), 1);
        promises.end(List.of(REGISTER));
        assertThat(promises.state(KEY)).isEqualTo(Verdict.GIVEN);
        assertThat(promises.doubtful(KEY)).isEmpty();
    }

    @Test
    void afterTooManyFailedWritesOnlyTheirKeysAreWritten() {
        List<Entry> failed = new ArrayList<>();
        for (Key key = Key.of("key0"); accepts(key); key = Key.of("key" + failed.size())) {
            Entry entry = Entry.value(key, ballot(10), new byte[1_000], Entry.NEVER);
            promises.fail(List.of(entry));
            failed.add(entry);
        }
        assertThat(failed).hasSizeBetween(10, (int) MOST_BYTES / 1_000);
        assertThat(promises.state(Key.of("another"))).isEqualTo(Verdict.GIVEN);
        for (Entry entry : failed) {
            promise(entry.key(), 20, 1);
            assertThat(promises.begin(entry.key(), ballot(20), 1)).isEqualTo(Verdict.GIVEN);
            promises.end(List.of(entry));
        }
        assertThat(accepts(Key.of("another"))).isTrue();
    }

    private boolean accepts(Key key) {
        assertThat(promise(key, key.equals(Key.of("another")) ? 30 : 10, 1)).isEqualTo(Verdict.GIVEN);
        return promises.begin(key, promises.highest(key, 0), 1) == Verdict.GIVEN;
    }

    @Test
    void aRestartRefusesAllThatMayHaveBeenPromised() {
        promise(KEY, 10, 1);
        promises = started();
        assertThat(promise(KEY, 10, 1)).isEqualTo(Verdict.REFUSED);
        assertThat(promises.highest(Key.of("never promised"), 3)).isGreaterThan(ballot(10));
    }

    @Test
    void evictedPromisesAreRemembered() {
        promise(KEY, 1_000_000, 1);
        promises.begin(KEY, ballot(1_000_000), 1);
        for (int i = 0; i < 2_000; i++) {
            promise(Key.of("other" + i), 1_000 + i, 1);
        }
        assertThat(promises.begin(KEY, ballot(1_000_000), 1))
                .as("pending ones stay")
                .isEqualTo(Verdict.REFUSED);
        assertThat(promises.highest(Key.of("never promised"), 0)).isGreaterThanOrEqualTo(ballot(1_000));
        assertThat(promise(Key.of("other0"), 999, 1)).isEqualTo(Verdict.REFUSED);
        promises.end(List.of(REGISTER));
    }

    @Test
    void aPromiseThatIsUsedOutlivesThoseThatAreNot() {
        promise(KEY, 1_000_000, 1);
        Key unused = Key.of("unused");
        promise(unused, 1_000_001, 1);
        for (int i = 0; i < 2_000; i++) {
            promise(Key.of("other" + i), 2_000_000 + i, 1);
            promises.state(KEY);
        }
        assertThat(promises.begin(KEY, ballot(1_000_000), 1)).isEqualTo(Verdict.GIVEN);
        assertThat(promises.begin(unused, ballot(1_000_001), 1)).isEqualTo(Verdict.REFUSED);
    }

    /** Where all were used lately, the oldest goes nevertheless. */
    @Test
    void promisesTakeNoMoreHeapThanTheyMay() {
        for (int i = 0; i < 2_000; i++) {
            promise(Key.of("key" + i), 1_000 + i, 1);
            for (int used = 0; used <= i; used++) {
                promises.state(Key.of("key" + used));
            }
        }
        long kept = IntStream.range(0, 2_000)
                .filter(i -> promises.begin(Key.of("key" + i), ballot(1_000 + i), 1) == Verdict.GIVEN)
                .count();
        assertThat(kept).isBetween(100L, MOST_BYTES / 160);
    }

    @Test
    void adoptedPromisesCountAlsoAfterARestart() {
        promise(KEY, 10, 1);
        CompletableFuture<Void> adopted = promises.adopt(Map.of(0, ballot(1L << 40), 1, ballot(5)));
        env.await(adopted, BOUND);
        assertThat(promise(KEY, 20, 1)).isEqualTo(Verdict.REFUSED);
        assertThat(promises.highest(PartitionSet.of(0, 1))).containsExactly(ballot(1L << 40), ballot(5));
        promises = started();
        assertThat(promise(KEY, 1L << 40, 1)).isEqualTo(Verdict.REFUSED);
    }
}
