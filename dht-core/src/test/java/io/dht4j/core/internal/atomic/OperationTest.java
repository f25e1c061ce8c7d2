package io.dht4j.core.internal.atomic;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.AtomicChange;
import io.dht4j.CallOptions;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Executed.Outcome;
import io.dht4j.core.internal.atomic.Operation.Step;
import io.dht4j.core.internal.atomic.Register.Kind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class OperationTest {

    private static final long NOW = 1_000_000;

    private Register register = Register.absent(new Version(0));
    private int sequence;
    private int executions;

    /** When operations begin, in milliseconds since 1970. */
    private long begun = NOW;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Operation operation(AtomicChange change) {
        return new Operation(RequestId.of(begun, 1, ++sequence), change);
    }

    private Step execute(Operation operation, long nowMillis) {
        Step step = operation.execute(register, nowMillis, Version.of(nowMillis, ++executions));
        register = step.register();
        return step;
    }

    private Executed result(AtomicChange change) {
        return execute(operation(change), NOW).result().orElseThrow();
    }

    private Outcome outcome(AtomicChange change) {
        return result(change).outcome();
    }

    private String value() {
        return new String(register.value(), StandardCharsets.UTF_8);
    }

    @Test
    void onlyTheFirstOfTwoSetsWhatIsAbsent() {
        assertThat(outcome(AtomicChange.putIfAbsent(bytes("a"), 0))).isEqualTo(Outcome.CREATED);
        assertThat(outcome(AtomicChange.putIfAbsent(bytes("b"), 0))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(value()).isEqualTo("a");
    }

    @Test
    void replaceAndRemoveNeedTheRevision() {
        Version first = result(AtomicChange.put(bytes("a"), 0)).at();
        Version second = result(AtomicChange.replace(first, bytes("b"), 0)).at();
        assertThat(second).isGreaterThan(first);
        assertThat(outcome(AtomicChange.replace(first, bytes("c"), 0))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(outcome(AtomicChange.remove(first))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(value()).isEqualTo("b");
        assertThat(outcome(AtomicChange.remove(second))).isEqualTo(Outcome.DONE);
        assertThat(outcome(AtomicChange.remove(register.revision()))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(register.isPresent()).isFalse();
    }

    @Test
    void countersBeginAtZeroAndStayInTheirRange() {
        assertThat(result(AtomicChange.add(5)).number()).isEqualTo(5);
        assertThat(result(AtomicChange.add(-7)).number()).isEqualTo(-2);
        assertThat(outcome(AtomicChange.compareAndSet(3, 1))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(result(AtomicChange.compareAndSet(-2, Long.MAX_VALUE)).number())
                .isEqualTo(Long.MAX_VALUE);
        assertThat(outcome(AtomicChange.add(1))).isEqualTo(Outcome.OVERFLOW);
        assertThat(result(AtomicChange.read()).number()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void countersAndValuesAreNotMistakenForEachOther() {
        result(AtomicChange.add(1));
        assertThat(outcome(AtomicChange.put(bytes("a"), 0))).isEqualTo(Outcome.OTHER_KIND);
        assertThat(outcome(AtomicChange.remove())).isEqualTo(Outcome.DONE);
        assertThat(outcome(AtomicChange.put(bytes("a"), 0))).isEqualTo(Outcome.CREATED);
        assertThat(outcome(AtomicChange.add(1))).isEqualTo(Outcome.OTHER_KIND);
    }

    @Test
    void repeatedOperationHasTheFirstResult() {
        Operation add = operation(AtomicChange.add(1));
        Executed first = execute(add, NOW).result().orElseThrow();
        result(AtomicChange.add(10));
        assertThat(execute(add, NOW).result()).contains(first);
        assertThat(result(AtomicChange.read()).number()).isEqualTo(11);
    }

    @Test
    void idOfAnotherOperationIsNotExecuted() {
        Operation add = operation(AtomicChange.add(1));
        execute(add, NOW);
        Operation other = new Operation(add.id(), AtomicChange.add(2));
        assertThat(execute(other, NOW).result().orElseThrow().outcome()).isEqualTo(Outcome.OTHER_CHANGE);
        assertThat(execute(add, NOW).result().orElseThrow().outcome()).isEqualTo(Outcome.CREATED);
        assertThat(result(AtomicChange.read()).number()).isEqualTo(1);
    }

    @Test
    void lateCopyOfAnOperationWhoseConditionFailedIsNotExecuted() {
        result(AtomicChange.put(bytes("a"), 0));
        Operation claim = operation(AtomicChange.putIfAbsent(bytes("b"), 0));
        execute(claim, NOW);
        result(AtomicChange.remove());
        assertThat(execute(claim, NOW).result().orElseThrow().outcome()).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(register.isPresent()).isFalse();
    }

    @Test
    void forgottenOperationIsNotExecutedAgain() {
        Operation add = operation(AtomicChange.add(1));
        execute(add, NOW);
        for (int i = 0; i < Register.REMEMBERED; i++) {
            execute(operation(AtomicChange.add(1)), NOW + Register.REMEMBERED_MILLIS + 1);
        }
        assertThat(register.executed()).hasSize(Register.REMEMBERED);
        assertThat(execute(add, NOW).result()).isEmpty();
        assertThat(result(AtomicChange.read()).number()).isEqualTo(1 + Register.REMEMBERED);
    }

    @Test
    void recentOperationsAreRememberedUpToABound() {
        for (int i = 0; i < Register.MOST_REMEMBERED + 10; i++) {
            begun = NOW + i;
            execute(operation(AtomicChange.add(1)), begun);
        }
        assertThat(register.executed()).hasSize(Register.MOST_REMEMBERED);
    }

    @Test
    void expiredValueIsAbsentForEveryChange() {
        result(AtomicChange.put(bytes("a"), 10));
        Version revision = register.revision();
        execute(operation(AtomicChange.read()), NOW + 9);
        assertThat(register.isPresent()).isTrue();
        execute(operation(AtomicChange.read()), NOW + 10);
        assertThat(register.kind()).isEqualTo(Kind.ABSENT);
        assertThat(register.revision()).isGreaterThan(revision);
        assertThat(outcome(AtomicChange.touch(5))).isEqualTo(Outcome.CONDITION_FAILED);
    }

    @Test
    void touchMovesTheExpiryAndChangesTheRevision() {
        result(AtomicChange.put(bytes("a"), 10));
        Version before = register.revision();
        assertThat(outcome(AtomicChange.touch(100))).isEqualTo(Outcome.DONE);
        assertThat(register.expiresAtMillis()).isEqualTo(NOW + 100);
        assertThat(register.revision()).isGreaterThan(before);
        assertThat(outcome(AtomicChange.touch(CallOptions.MAX_TIME_TO_LIVE.toMillis())))
                .isEqualTo(Outcome.DONE);
        assertThat(register.isExpired(NOW + CallOptions.MAX_TIME_TO_LIVE.toMillis() - 1))
                .isFalse();
    }
}
