package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {

    @Test
    void aPolicyNeedsOneToFromAnswers() {
        assertRefused(ErrorCode.POLICY_INVALID, () -> new ReplicationPolicy(0, 3), "ack=0, from=3");
        assertRefused(ErrorCode.POLICY_INVALID, () -> new ReplicationPolicy(4, 3), "ack=4, from=3");
        assertRefused(ErrorCode.POLICY_INVALID, () -> new ReplicationPolicy(0, 0), "ack=0, from=0");
        assertRefused(ErrorCode.POLICY_INVALID, () -> CallOptions.defaults().withPolicy(-1, 1), "ack=-1");
        assertThat(new ReplicationPolicy(2, 3)).hasToString("2/3");
    }

    @ParameterizedTest
    @CsvSource({"1, 1/1", "2, 2/2", "3, 2/3", "4, 3/4", "5, 3/5", "10000, 5001/10000"})
    void twoMajoritiesOverlap(int from, String policy) {
        ReplicationPolicy majority = ReplicationPolicy.majorityOf(from);
        assertThat(majority).hasToString(policy);
        assertThat(majority.ack() * 2).isGreaterThan(from);
    }

    @Test
    void aTimeoutIsMoreThanZeroAndAtMostAnHour() {
        CallOptions options = CallOptions.defaults();
        assertThat(options.withTimeout(Duration.ofNanos(1)).timeout()).contains(Duration.ofNanos(1));
        assertThat(options.withTimeout(Duration.ofHours(1)).timeout()).contains(Duration.ofHours(1));
        assertRefused(ErrorCode.TIMEOUT_INVALID, () -> options.withTimeout(Duration.ZERO), "0s");
        assertRefused(ErrorCode.TIMEOUT_INVALID, () -> options.withTimeout(Duration.ofMillis(-1)), "-1ms");
        assertRefused(
                ErrorCode.TIMEOUT_INVALID,
                () -> options.withTimeout(Duration.ofHours(1).plusNanos(1)),
                "1h");
        assertRefused(ErrorCode.TIMEOUT_INVALID, () -> options.withTimeout(Duration.ofSeconds(Long.MAX_VALUE)), "1h");
    }

    @Test
    void aTimeToLiveIsOneMillisecondToAThousandYears() {
        CallOptions options = CallOptions.defaults();
        assertThat(options.withTimeToLive(Duration.ofMillis(1)).timeToLive()).contains(Duration.ofMillis(1));
        assertThat(options.withTimeToLive(Duration.ofDays(365_000)).timeToLive())
                .isPresent();
        assertRefused(ErrorCode.TTL_INVALID, () -> options.withTimeToLive(Duration.ofNanos(999_999)), "1ms");
        assertRefused(
                ErrorCode.TTL_INVALID,
                () -> options.withTimeToLive(Duration.ofDays(365_000).plusNanos(1)),
                "365000d");
    }

    @Test
    void aRefusedArgumentShowsWhereItWasPassed() {
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> Key.of(""),
                () -> Key.of("\ud800?"),
                () -> Key.of(new byte[0]),
                () -> new ReplicationPolicy(2, 1),
                () -> CallOptions.defaults().withTimeout(Duration.ZERO),
                () -> CallOptions.defaults().withTimeToLive(Duration.ZERO))) {
            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(refused)
                    .satisfies(e -> assertThat(e.getStackTrace())
                            .anyMatch(frame -> frame.getClassName().equals(OptionsTest.class.getName())));
        }
        assertThat(new InvalidRequestException(ErrorCode.BAD_REQUEST, "of a stage").getStackTrace())
                .isEmpty();
    }

    @Test
    void optionsAddUpWithoutChangingWhatTheyCameFrom() {
        CallOptions options = CallOptions.defaults()
                .withPolicy(2, 3)
                .withTimeout(Duration.ofSeconds(1))
                .withTimeToLive(Duration.ofSeconds(2));
        assertThat(options.policy()).contains(new ReplicationPolicy(2, 3));
        assertThat(options.timeout()).contains(Duration.ofSeconds(1));
        assertThat(options.timeToLive()).contains(Duration.ofSeconds(2));
        assertThat(CallOptions.defaults().policy()).isEmpty();
        assertThat(CallOptions.defaults().timeout()).isEmpty();
        assertThat(CallOptions.defaults().timeToLive()).isEmpty();
    }

    private static void assertRefused(ErrorCode code, ThrowingCallable call, String message) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(call)
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.code()).isEqualTo(code));
    }
}
