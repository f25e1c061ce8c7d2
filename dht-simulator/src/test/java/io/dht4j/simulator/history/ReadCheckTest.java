package io.dht4j.simulator.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.simulator.history.Operation.Kind;
import io.dht4j.simulator.history.Operation.Outcome;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Histories that are right and wrong, judged without a look at the disks. */
class ReadCheckTest {

    private static final Key KEY = Key.of("key");

    private final History history = new History();

    @Test
    void aReadThatMissesAnAcknowledgedWriteIsWrong() {
        put(1, Outcome.DONE);
        read(0);
        assertThat(violations()).singleElement().asString().contains("does not show");
    }

    @Test
    void aReadThatShowsAnOlderValueIsWrong() {
        put(1, Outcome.DONE);
        put(2, Outcome.DONE);
        read(1);
        read(2);
        assertThat(violations()).singleElement().asString().contains("which is older than");
    }

    @Test
    void aValueThatComesBackAfterItsDeleteIsWrong() {
        put(1, Outcome.DONE);
        delete(2, Outcome.DONE);
        read(0);
        read(1);
        assertThat(violations()).singleElement().asString().contains("which is older than");
    }

    @Test
    void readOfAnUnwrittenOrFailedValueIsWrong() {
        put(1, Outcome.FAILED);
        read(1);
        read(2);
        assertThat(violations())
                .hasSize(2)
                .anyMatch(each -> each.contains("certainly failed"))
                .anyMatch(each -> each.contains("was never written"));
    }

    @Test
    void aWriteOfUnknownOutcomeMayBeSeenAndThenStaysSeen() {
        put(1, Outcome.DONE);
        put(2, Outcome.UNKNOWN);
        read(1);
        read(2);
        assertThat(violations()).isEmpty();
        read(1);
        assertThat(violations()).singleElement().asString().contains("which is older than");
    }

    @Test
    void onlyADeleteThatMayHaveHappenedHidesAValue() {
        put(1, Outcome.DONE);
        delete(2, Outcome.FAILED);
        read(0);
        assertThat(violations()).hasSize(1);
        delete(3, Outcome.UNKNOWN);
        read(0);
        assertThat(violations()).hasSize(1);
    }

    @Test
    void aDeleteThatBeganAfterTheReadHidesNothing() {
        put(1, Outcome.DONE);
        read(0);
        delete(2, Outcome.DONE);
        assertThat(violations()).singleElement().asString().contains("does not show");
    }

    @Test
    void scanMaySkipUnacknowledgedWritesOnly() {
        put(1, Outcome.DONE);
        put(2, Outcome.UNKNOWN);
        read(2);
        end(begin(Operation.read(Kind.SCAN, KEY, "n1", history.next(), 0)), 1, Outcome.DONE);
        assertThat(violations()).isEmpty();
        end(begin(Operation.read(Kind.SCAN, KEY, "n1", history.next(), 0)), 0, Outcome.DONE);
        assertThat(violations()).hasSize(1);
    }

    /** Judges all again. */
    private List<String> violations() {
        ReadCheck check = new ReadCheck(history, SupersededCheck.inHistory(history));
        return history.all().stream()
                .filter(each -> !each.isWrite())
                .flatMap(read -> check.violation(read).map(Stream::of).orElse(Stream.empty()))
                .toList();
    }

    private void put(int version, Outcome outcome) {
        byte[] value = {(byte) version};
        end(begin(Operation.put(KEY, "n1", history.next(), 0, value, Entry.NEVER)), version, outcome);
    }

    private void delete(int version, Outcome outcome) {
        end(begin(Operation.delete(KEY, "n1", history.next(), 0)), version, outcome);
    }

    /** A read that shows the value of a version, or nothing. */
    private void read(int version) {
        end(begin(Operation.read(Kind.READ, KEY, "n1", history.next(), 0)), version, Outcome.DONE);
    }

    private Operation begin(Operation operation) {
        history.add(operation);
        return operation;
    }

    private void end(Operation operation, int version, Outcome outcome) {
        operation.end(history.next(), 0, outcome);
        if (!operation.isWrite()) {
            operation.showed(
                    version == 0
                            ? Optional.empty()
                            : Optional.of(
                                    new Value(new byte[] {(byte) version}, new Version(version), Optional.empty())));
        } else if (outcome == Outcome.DONE) {
            operation.wrote(new Version(version));
        }
    }
}
