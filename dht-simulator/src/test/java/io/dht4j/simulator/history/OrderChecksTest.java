package io.dht4j.simulator.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The checks of orders: what they find, and what they let pass. */
class OrderChecksTest {

    private static final Key KEY = Key.of("k");

    private static final byte[] NOTHING_YET = {};

    private final History history = new History();

    private Operation write(int value, int begun, int ended, long version, Operation.Outcome outcome) {
        Operation put = Operation.put(KEY, "n", begun, 0, new byte[] {(byte) value}, Entry.NEVER);
        put.end(ended, 0, outcome);
        if (outcome == Operation.Outcome.DONE) {
            put.wrote(new Version(version));
        }
        history.add(put);
        return put;
    }

    private Operation write(int value, int begun, int ended, long version) {
        return write(value, begun, ended, version, Operation.Outcome.DONE);
    }

    private void read(int value, int begun, int ended) {
        Operation read = Operation.read(Operation.Kind.READ, KEY, "n", begun, 0);
        read.end(ended, 0, Operation.Outcome.DONE);
        read.showed(
                value == 0
                        ? Optional.empty()
                        : Optional.of(new Value(new byte[] {(byte) value}, new Version(value), Optional.empty())));
        history.add(read);
    }

    private void delete(int begun, int ended) {
        Operation delete = Operation.delete(KEY, "n", begun, 0);
        delete.end(ended, 0, Operation.Outcome.DONE);
        delete.wrote(new Version(begun));
        history.add(delete);
    }

    @Test
    void aWriteThatIsSupersededByAnEarlierOneIsFound() {
        write(1, 1, 2, 20);
        write(2, 3, 4, 10);
        assertThat(OrderCheck.violations(history)).hasSize(1).first().asString().contains("is superseded by");
        assertThat(LinearizabilityCheck.violations(history))
                .as("nobody has read it")
                .isEmpty();
        read(1, 5, 6);
        assertThat(LinearizabilityCheck.violations(history)).hasSize(1);
    }

    @Test
    void writesAtTheSameTimeMayBeInAnyOrder() {
        write(1, 1, 4, 20);
        write(2, 2, 3, 10);
        read(1, 5, 6);
        assertThat(OrderCheck.violations(history)).isEmpty();
        assertThat(LinearizabilityCheck.violations(history)).isEmpty();
    }

    @Test
    void whatIsReadOnceThenOtherwiseThenAgainIsFound() {
        write(1, 1, 20, 1);
        write(2, 2, 19, 2);
        read(1, 3, 4);
        read(2, 5, 6);
        assertThat(LinearizabilityCheck.violations(history)).isEmpty();
        read(1, 7, 8);
        assertThat(LinearizabilityCheck.violations(history)).hasSize(1);
    }

    @Test
    void aReadThatMissesAnAcknowledgedWriteIsFound() {
        write(1, 1, 2, 1);
        read(0, 3, 4);
        assertThat(LinearizabilityCheck.violations(history)).hasSize(1);
    }

    @Test
    void aWriteOfUnknownOutcomeMayTakeEffectLateOrNever() {
        write(1, 1, 2, 1);
        write(2, 3, 4, 0, Operation.Outcome.UNKNOWN);
        read(1, 5, 6);
        read(2, 7, 8);
        assertThat(LinearizabilityCheck.violations(history)).isEmpty();
        read(1, 9, 10);
        assertThat(LinearizabilityCheck.violations(history)).hasSize(1);
    }

    @Test
    void aDeleteIsReadAsNothing() {
        write(1, 1, 2, 1);
        delete(3, 4);
        read(0, 5, 6);
        assertThat(LinearizabilityCheck.violations(history)).isEmpty();
        read(1, 7, 8);
        assertThat(LinearizabilityCheck.violations(history)).hasSize(1);
    }

    @Test
    void whatNobodyWroteIsFound() {
        write(1, 1, 2, 1);
        read(9, 1, 3);
        assertThat(LinearizabilityCheck.violations(history)).hasSize(1);
    }

    @Test
    @Timeout(20)
    void manyWritesOfUnknownOutcomeNeedNoLongSearch() {
        for (int i = 1; i <= 100; i++) {
            write(i, i, Operation.NEVER, 0, Operation.Outcome.UNKNOWN);
        }
        read(7, 101, 102);
        read(9, 103, 104);
        assertThat(LinearizabilityCheck.violations(history)).isEmpty();
        read(7, 105, 106);
        assertThat(LinearizabilityCheck.violations(history)).hasSize(1);
    }

    @Test
    void theSearchFindsTheSameAsOneThatTriesAllOrders() {
        int found = 0;
        for (int seed = 0; seed < 20_000; seed++) {
            History some = randomHistory(new SplittableRandom(seed));
            boolean expected = isExplained(some.of(KEY), NOTHING_YET, List.of());
            assertThat(LinearizabilityCheck.violations(some).isEmpty())
                    .as("seed %d: %s", seed, some.of(KEY))
                    .isEqualTo(expected);
            found += expected ? 0 : 1;
        }
        assertThat(found).isBetween(2_000, 18_000);
    }

    /** Makes up to eight operations that overlap, with outcomes that may be impossible. */
    private static History randomHistory(SplittableRandom random) {
        History history = new History();
        int count = 1 + random.nextInt(8);
        for (int i = 0; i < count; i++) {
            int begun = 2 * (i + 1);
            Operation.Outcome outcome = random.nextInt(3) == 0 ? Operation.Outcome.UNKNOWN : Operation.Outcome.DONE;
            int ended = begun + 1 + 2 * random.nextInt(4);
            Operation made;
            switch (random.nextInt(5)) {
                case 0 -> made = Operation.delete(KEY, "n", begun, 0);
                case 1, 2 -> made = Operation.put(KEY, "n", begun, 0, new byte[] {(byte) (i + 1)}, Entry.NEVER);
                default -> {
                    made = Operation.read(Operation.Kind.READ, KEY, "n", begun, 0);
                    byte value = (byte) random.nextInt(count + 1);
                    made.showed(
                            value == 0
                                    ? Optional.empty()
                                    : Optional.of(new Value(new byte[] {value}, new Version(1), Optional.empty())));
                }
            }
            made.end(ended, 0, outcome);
            history.add(made);
        }
        return history;
    }

    /** Returns whether some order of the operations that are left explains what reads show. */
    private static boolean isExplained(List<Operation> all, byte[] current, List<Operation> done) {
        List<Operation> left = all.stream()
                .filter(each -> !done.contains(each))
                .filter(each -> each.isWrite() || each.outcome() == Operation.Outcome.DONE)
                .toList();
        if (left.stream().noneMatch(each -> each.outcome() == Operation.Outcome.DONE)) {
            return true;
        }
        for (Operation next : left) {
            boolean isFirst = left.stream()
                    .allMatch(each -> each.outcome() != Operation.Outcome.DONE || next.begun() < each.ended());
            byte[] read = next.read() == null ? NOTHING_YET : next.read();
            if (isFirst && (next.isWrite() || Arrays.equals(read, current))) {
                List<Operation> more = new ArrayList<>(done);
                more.add(next);
                byte[] written = next.written() == null ? NOTHING_YET : next.written();
                if (isExplained(all, next.isWrite() ? written : current, more)) {
                    return true;
                }
            }
        }
        return false;
    }
}
