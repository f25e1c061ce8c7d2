package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdTest {

    @Test
    void aNewIdHasTheTimeOfItsBegin() {
        long before = System.currentTimeMillis();
        RequestId id = RequestId.next();
        assertThat(id.millis()).isBetween(before, System.currentTimeMillis());
        assertThat(RequestId.next()).isNotEqualTo(id);
        assertThat(RequestId.parse(id.toString())).isEqualTo(id);
        assertThat(RequestId.parse(id.toString().toUpperCase(Locale.ROOT))).isEqualTo(id);
    }

    @Test
    void allBitsButThoseOfTheFormAreOfTheId() {
        RequestId id = RequestId.of(Version.MAX_MILLIS, -1, -1);
        assertThat(id).hasToString("ffffffff-ffff-7fff-bfff-ffffffffffff");
        assertThat(id.millis()).isEqualTo(Version.MAX_MILLIS);
        assertThat(RequestId.of(0, 0, 0)).hasToString("00000000-0000-7000-8000-000000000000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "order-17",
                "1-1-7000-8000-1",
                "9f86d081-884c-4d65-8a5e-3b0d2b1f0a01",
                "019308a3-f4c0-7000-0000-000000000000",
                "019308a3f4c070008000000000000000"
            })
    void othersAreRefused(String text) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> RequestId.parse(text))
                .withMessageContaining("a request id must be a UUID of version 7")
                .withMessageContaining(text);
    }

    @Test
    void aFailureInOtherWordsKeepsItsId() {
        RequestId id = RequestId.next();
        IndeterminateException failure =
                new IndeterminateException(ErrorCode.NO_REPLY, "it may be done").withRequestId(id);
        assertThat(failure.requestId()).contains(id);
        assertThat(((IndeterminateException) failure.withMessage("perhaps")).requestId())
                .contains(id);
        assertThat(((IndeterminateException) failure.traced()).requestId()).contains(id);
        assertThat(failure.withMessage("perhaps")).hasMessage("perhaps").hasNoSuppressedExceptions();
        assertThat(new IndeterminateException(ErrorCode.NO_REPLY, "it").requestId())
                .isEmpty();
    }

    @Test
    void aUuidOfAnotherVersionIsNone() {
        assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(() -> new RequestId(UUID.randomUUID()));
    }
}
