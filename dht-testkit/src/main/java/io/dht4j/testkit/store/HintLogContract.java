package io.dht4j.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.StoreException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of every hint log. */
public abstract class HintLogContract {

    /** The capacity of the logs under test. */
    protected static final long MAX_BYTES = 1L << 20;

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final int ROOM = 64 << 10;
    private static final long NOW = 1_000_000;

    /** The directory of the log's files. */
    @TempDir
    protected Path directory;

    /** The log under test. */
    protected HintLog log;

    /** Constructor for subclasses. */
    @SuppressWarnings("NullAway.Init") // set before each test
    protected HintLogContract() {}

    /**
     * Opens a log with a capacity of {@link #MAX_BYTES}.
     *
     * @param directory the directory of its files; the same each time within a test
     * @return the log, with the hints of an earlier one in this directory if it is durable
     */
    protected abstract HintLog open(Path directory);

    /** Opens an empty log before each test. */
    @BeforeEach
    final void openLog() {
        log = open(directory);
    }

    /** Closes the log after each test. */
    @AfterEach
    final void closeLog() {
        log.close();
    }

    /**
     * Creates a distinct entry.
     *
     * @param number the number of the entry
     * @param bytes the number of bytes of its value
     * @return a value
     */
    protected static Entry entry(int number, int bytes) {
        return Entry.value(Key.of("key" + number), new Version(number), new byte[bytes], Entry.NEVER);
    }

    /** Returns all hints for a node, read in batches of a size and removed as they are read. */
    private List<Entry> takeAll(NodeId node, int maxBytes) {
        List<Entry> all = new ArrayList<>();
        for (HintLog.Batch batch = log.oldest(node, maxBytes);
                !batch.entries().isEmpty();
                batch = log.oldest(node, maxBytes)) {
            all.addAll(batch.entries());
            log.delivered(node, batch);
        }
        return all;
    }

    @Test
    void anEmptyLogHasNothingForAnybody() {
        assertThat(log.targets()).isEmpty();
        assertThat(log.oldest(A, ROOM).entries()).isEmpty();
        assertThat(log.bytes()).isZero();
    }

    /** Hints keep their version, tombstone and expiry. */
    @Test
    void hintsComeInTheOrderInWhichTheyWereKept() {
        List<Entry> entries = List.of(
                entry(1, 10),
                Entry.tombstone(Key.of("gone"), new Version(7)),
                Entry.value(Key.of("short"), new Version(8), "v".getBytes(StandardCharsets.UTF_8), 99_000),
                entry(1, 0));
        assertThat(log.add(A, entries.subList(0, 2), NOW)).isTrue();
        assertThat(log.add(A, entries.subList(2, 4), NOW)).isTrue();

        assertThat(log.targets()).containsExactly(A);
        assertThat(log.oldest(A, ROOM).entries()).isEqualTo(entries);
        assertThat(log.oldest(A, ROOM).entries()).as("not forgotten yet").isEqualTo(entries);
    }

    @Test
    void eachNodeHasItsOwn() {
        log.add(A, List.of(entry(1, 10)), NOW);
        log.add(B, List.of(entry(2, 10)), NOW);

        log.delivered(A, log.oldest(A, ROOM));

        assertThat(log.targets()).containsExactly(B);
        assertThat(log.oldest(A, ROOM).entries()).isEmpty();
        assertThat(log.oldest(B, ROOM).entries()).containsExactly(entry(2, 10));
    }

    @Test
    void manyHintsComeInBatches() {
        List<Entry> entries =
                IntStream.range(1, 501).mapToObj(i -> entry(i, 100)).toList();
        entries.forEach(entry -> log.add(A, List.of(entry), NOW));

        assertThat(log.oldest(A, 1000).entries()).hasSizeBetween(1, 10);
        assertThat(takeAll(A, 1000)).isEqualTo(entries);
        assertThat(log.bytes()).isZero();
        assertThat(log.lostBytes()).isZero();
        assertThat(log.targets()).isEmpty();
    }

    /** A batch contains at least one hint, even if the hint is larger. */
    @Test
    void aLargeHintComesAlone() {
        log.add(A, List.of(entry(1, 10_000)), NOW);
        log.add(A, List.of(entry(2, 10_000)), NOW);

        assertThat(log.oldest(A, 100).entries()).containsExactly(entry(1, 10_000));
    }

    /** Hints added during the delivery of a batch stay. */
    @Test
    void whatWasKeptAfterABatchWasGivenStays() {
        log.add(A, List.of(entry(1, 10)), NOW);
        HintLog.Batch batch = log.oldest(A, ROOM);
        log.add(A, List.of(entry(2, 10)), NOW);

        log.delivered(A, batch);

        assertThat(log.oldest(A, ROOM).entries()).containsExactly(entry(2, 10));
    }

    /** A full log reports so, and adds none of the rejected hints. */
    @Test
    void aFullLogKeepsNothingMore() {
        int kept = 0;
        while (log.add(A, List.of(entry(++kept, 50_000)), NOW)) {
            assertThat(kept).isLessThan(100);
        }

        assertThat(log.bytes()).isLessThanOrEqualTo(MAX_BYTES);
        assertThat(takeAll(A, ROOM)).hasSize(kept - 1);
        assertThat(log.add(A, List.of(entry(kept, 50_000)), NOW))
                .as("there is room again")
                .isTrue();
    }

    @Test
    void hintsExpire() {
        log.add(A, List.of(entry(1, 10)), NOW);
        assertThat(log.expire(NOW)).isZero();
        assertThat(log.oldest(A, ROOM).entries()).hasSize(1);

        assertThat(log.expire(NOW + 1)).isPositive();
        assertThat(log.lostBytes()).as("expired, not lost").isZero();

        assertThat(log.oldest(A, ROOM).entries()).isEmpty();
        assertThat(log.targets()).isEmpty();
        log.add(A, List.of(entry(2, 10)), NOW + 1);
        assertThat(log.oldest(A, ROOM).entries()).containsExactly(entry(2, 10));
    }

    @Test
    void aClosedLogSaysSo() {
        log.close();
        log.close();

        assertThatThrownBy(() -> log.add(A, List.of(entry(1, 10)), NOW))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> log.oldest(A, ROOM)).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> log.targets()).isInstanceOf(StoreException.class);
    }
}
