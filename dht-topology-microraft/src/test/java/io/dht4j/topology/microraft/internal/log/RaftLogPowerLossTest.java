package io.dht4j.topology.microraft.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.power.ForgetfulDisk;
import io.dht4j.testkit.SearchEffort;
import io.microraft.model.log.LogEntry;
import io.microraft.model.log.SnapshotChunk;
import io.microraft.model.persistence.RaftTermPersistentState;
import io.microraft.persistence.RestoredRaftState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power fails in the middle of any call, and the disk keeps what was forced and any part of the rest. Whatever was
 * reported as persistent is there: the term and the vote at once, entries after a flush, a snapshot after its last
 * part.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("search")
class RaftLogPowerLossTest {

    private static final int SEEDS = Integer.getInteger("dht.power.seeds", SearchEffort.of(600));
    private static final long FIRST_SEED = Long.getLong("dht.power.seed", 1);
    private static final int LIVES = 5;

    @TempDir
    Path root;

    @Test
    void nothingThatWasReportedAsPersistentIsLost() throws IOException {
        int failures = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try {
                failures += new History(seed).live();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Ddht.power.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        assertThat(failures).as("losses of power").isGreaterThan(SEEDS);
    }

    private final class History {
        private final long seed;
        private final SplittableRandom random;
        /** What was reported as persistent. */
        private int term;

        private boolean begun;
        private long snapshotIndex;
        private final TreeMap<Long, LogEntry> flushed = new TreeMap<>();

        /** What would be there if everything since were. */
        private int nextTerm;

        private long nextSnapshotIndex;
        private final TreeMap<Long, LogEntry> next = new TreeMap<>();
        /** How the log may look, if the power failed in the middle of what was flushed. */
        private final List<List<LogEntry>> between = new ArrayList<>();

        History(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
        }

        int live() throws IOException {
            int failures = 0;
            for (int life = 0; life < LIVES; life++) {
                Path directory = root.resolve(seed + "-" + life);
                ForgetfulDisk disk = new ForgetfulDisk(directory, random.nextLong());
                disk.failPowerAfter(random.nextInt(life == 0 ? 20 : 120), path -> true);
                live(directory, disk);
                failures += disk.isOff() ? 1 : 0;
                disk.leaveIn(root.resolve(seed + "-" + (life + 1)));
            }
            try (RaftLogFiles files =
                    RaftLogFiles.open(root.resolve(seed + "-" + LIVES), Disk.REAL, RaftLogFilesTest.SELF)) {
                check(files.restored());
            }
            return failures;
        }

        private void live(Path directory, ForgetfulDisk disk) throws IOException {
            try (RaftLogFiles files = RaftLogFiles.open(directory, disk, RaftLogFilesTest.SELF)) {
                check(files.restored());
                RaftLogFilesTest.begin(files);
                begun = true;
                for (int i = random.nextInt(60); i > 0; i--) {
                    step(files);
                }
            } catch (StoreException | IOException e) {
                if (!disk.isOff()) {
                    throw e;
                }
            }
        }

        private void step(RaftLogFiles files) throws IOException {
            switch (random.nextInt(8)) {
                case 0 -> {
                    nextTerm = Math.max(term, nextTerm) + 1;
                    RaftLogFilesTest.vote(files, nextTerm);
                    reported();
                }
                case 1 -> snapshot(files);
                case 2 -> cut(files);
                default -> append(files);
            }
            if (random.nextInt(3) > 0) {
                files.flush();
                reported();
            }
        }

        private void reported() {
            term = nextTerm;
            snapshotIndex = nextSnapshotIndex;
            flushed.clear();
            flushed.putAll(next);
            between.clear();
        }

        private long last() {
            return next.isEmpty() ? nextSnapshotIndex : next.lastKey();
        }

        private void append(RaftLogFiles files) throws IOException {
            byte[] command = new byte[random.nextInt(20) == 0 ? random.nextInt(20_000) : random.nextInt(300)];
            if (random.nextInt(3) > 0) {
                random.nextBytes(command);
            }
            LogEntry entry = RaftLogFilesTest.entry(nextTerm, last() + 1, command);
            next.put(entry.getIndex(), entry);
            between.add(List.copyOf(next.values()));
            files.persistLogEntries(List.of(entry));
        }

        private void cut(RaftLogFiles files) throws IOException {
            if (!next.isEmpty()) {
                long from = next.firstKey() + random.nextLong(next.size());
                next.tailMap(from, true).clear();
                between.add(List.copyOf(next.values()));
                files.truncateLogEntriesFrom(from);
            }
        }

        private void snapshot(RaftLogFiles files) throws IOException {
            long index = next.isEmpty() || random.nextInt(4) == 0
                    ? last() + random.nextInt(5) + 1
                    : next.firstKey() + random.nextLong(next.size());
            byte[][] parts = new byte[1 + random.nextInt(3)][];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = new byte[random.nextInt(2_000)];
                random.nextBytes(parts[i]);
            }
            next.headMap(index, true).clear();
            nextSnapshotIndex = index;
            between.add(List.copyOf(next.values()));
            for (SnapshotChunk part : RaftLogFilesTest.snapshot(nextTerm, index, parts)) {
                files.persistSnapshotChunk(part);
            }
            reported();
        }

        private void check(Optional<RestoredRaftState> restored) {
            if (restored.isEmpty()) {
                assertThat(begun).as("a member has started").isFalse();
                return;
            }
            RestoredRaftState state = restored.get();
            RaftTermPersistentState found = state.getTermPersistentState();
            assertThat(found.getTerm()).as("the term").isBetween(term, nextTerm);
            assertThat(found.getVotedFor() != null).as("the vote").isEqualTo(found.getTerm() > 0);
            long foundSnapshot = state.getSnapshotEntry() == null
                    ? 0
                    : state.getSnapshotEntry().getIndex();
            assertThat(foundSnapshot).as("the snapshot").isIn(snapshotIndex, nextSnapshotIndex);
            checkEntries(state.getLogEntries());
            term = found.getTerm();
            nextTerm = term;
            snapshotIndex = foundSnapshot;
            nextSnapshotIndex = foundSnapshot;
            next.clear();
            state.getLogEntries().forEach(entry -> next.put(entry.getIndex(), entry));
            flushed.clear();
            flushed.putAll(next);
            between.clear();
        }

        /** They are as at the last report, or as at any moment since. */
        private void checkEntries(List<LogEntry> found) {
            List<List<LogEntry>> possible = new ArrayList<>(between);
            possible.add(List.copyOf(flushed.values()));
            assertThat(possible.stream().anyMatch(entries -> same(entries, found)))
                    .as("entries " + found.stream().map(LogEntry::getIndex).toList() + ", reported " + flushed.keySet())
                    .isTrue();
        }

        private boolean same(List<LogEntry> a, List<LogEntry> b) {
            if (a.size() != b.size()) {
                return false;
            }
            for (int i = 0; i < a.size(); i++) {
                if (a.get(i).getIndex() != b.get(i).getIndex()
                        || a.get(i).getTerm() != b.get(i).getTerm()
                        || !Arrays.equals((byte[]) a.get(i).getOperation(), (byte[])
                                b.get(i).getOperation())) {
                    return false;
                }
            }
            return true;
        }
    }
}
