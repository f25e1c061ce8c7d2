package io.dht4j.simulator.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The checks of orders: what they find, and what they let pass. */
class OrderChecksTest {

    private static final Key KEY = Key.of("k");

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
                        : Optional.of(new Value(new byte[] {(byte) value}, new Version(value), OptionalLong.empty())));
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
}
