package io.dht4j.core.internal.atomic;

import static org.assertj.core.api.Assertions.assertThat;

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

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Operation operation(Change change) {
        return new Operation(new RequestId(1, ++sequence), Version.of(NOW, executions), change);
    }

    private Step execute(Operation operation, long nowMillis) {
        Step step = operation.execute(register, nowMillis, Version.of(nowMillis, ++executions));
        register = step.register();
        return step;
    }

    private Executed result(Change change) {
        return execute(operation(change), NOW).result().orElseThrow();
    }

    private Outcome outcome(Change change) {
        return result(change).outcome();
    }

    private String value() {
        return new String(register.value(), StandardCharsets.UTF_8);
    }

    @Test
    void onlyTheFirstOfTwoSetsWhatIsAbsent() {
        assertThat(outcome(Change.putIfAbsent(bytes("a"), 0))).isEqualTo(Outcome.DONE);
        assertThat(outcome(Change.putIfAbsent(bytes("b"), 0))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(value()).isEqualTo("a");
    }

    @Test
    void replaceAndRemoveNeedTheRevision() {
        Version first = result(Change.put(bytes("a"), 0)).at();
        Version second = result(Change.replace(first, bytes("b"), 0)).at();
        assertThat(second).isGreaterThan(first);
        assertThat(outcome(Change.replace(first, bytes("c"), 0))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(outcome(Change.remove(first))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(value()).isEqualTo("b");
        assertThat(outcome(Change.remove(second))).isEqualTo(Outcome.DONE);
        assertThat(outcome(Change.remove(register.revision()))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(register.isPresent()).isFalse();
    }

    @Test
    void countersBeginAtZeroAndStayInTheirRange() {
        assertThat(result(Change.add(5)).number()).isEqualTo(5);
        assertThat(result(Change.add(-7)).number()).isEqualTo(-2);
        assertThat(outcome(Change.compareAndSet(3, 1))).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(result(Change.compareAndSet(-2, Long.MAX_VALUE)).number()).isEqualTo(Long.MAX_VALUE);
        assertThat(outcome(Change.add(1))).isEqualTo(Outcome.OVERFLOW);
        assertThat(result(Change.read()).number()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void countersAndValuesAreNotMistakenForEachOther() {
        result(Change.add(1));
        assertThat(outcome(Change.put(bytes("a"), 0))).isEqualTo(Outcome.OTHER_KIND);
        assertThat(outcome(Change.remove())).isEqualTo(Outcome.DONE);
        assertThat(outcome(Change.put(bytes("a"), 0))).isEqualTo(Outcome.DONE);
        assertThat(outcome(Change.add(1))).isEqualTo(Outcome.OTHER_KIND);
    }

    @Test
    void repeatedOperationHasTheFirstResult() {
        Operation add = operation(Change.add(1));
        Executed first = execute(add, NOW).result().orElseThrow();
        result(Change.add(10));
        assertThat(execute(add, NOW).result()).contains(first);
        assertThat(result(Change.read()).number()).isEqualTo(11);
    }

    @Test
    void lateCopyOfAnOperationWhoseConditionFailedIsNotExecuted() {
        result(Change.put(bytes("a"), 0));
        Operation claim = operation(Change.putIfAbsent(bytes("b"), 0));
        execute(claim, NOW);
        result(Change.remove());
        assertThat(execute(claim, NOW).result().orElseThrow().outcome()).isEqualTo(Outcome.CONDITION_FAILED);
        assertThat(register.isPresent()).isFalse();
    }

    @Test
    void forgottenOperationIsNotExecutedAgain() {
        Operation add = operation(Change.add(1));
        execute(add, NOW);
        for (int i = 0; i < Register.REMEMBERED; i++) {
            execute(operation(Change.add(1)), NOW + Register.REMEMBERED_MILLIS + 1);
        }
        assertThat(register.executed()).hasSize(Register.REMEMBERED);
        assertThat(execute(add, NOW).result()).isEmpty();
        assertThat(result(Change.read()).number()).isEqualTo(1 + Register.REMEMBERED);
    }

    @Test
    void recentOperationsAreRememberedUpToABound() {
        for (int i = 0; i < Register.MOST_REMEMBERED + 10; i++) {
            result(Change.add(1));
        }
        assertThat(register.executed()).hasSize(Register.MOST_REMEMBERED);
    }

    @Test
    void expiredValueIsAbsentForEveryChange() {
        result(Change.put(bytes("a"), 10));
        Version revision = register.revision();
        execute(operation(Change.read()), NOW + 9);
        assertThat(register.isPresent()).isTrue();
        execute(operation(Change.read()), NOW + 10);
        assertThat(register.kind()).isEqualTo(Kind.ABSENT);
        assertThat(register.revision()).isGreaterThan(revision);
        assertThat(outcome(Change.touch(5))).isEqualTo(Outcome.CONDITION_FAILED);
    }

    @Test
    void touchMovesTheExpiryAndChangesTheRevision() {
        result(Change.put(bytes("a"), 10));
        Version before = register.revision();
        assertThat(outcome(Change.touch(100))).isEqualTo(Outcome.DONE);
        assertThat(register.expiresAtMillis()).isEqualTo(NOW + 100);
        assertThat(register.revision()).isGreaterThan(before);
        assertThat(outcome(Change.touch(Long.MAX_VALUE))).isEqualTo(Outcome.DONE);
        assertThat(register.isExpired(Long.MAX_VALUE - 1)).isFalse();
    }
}
