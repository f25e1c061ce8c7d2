package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorCodeTest {

    /** What stands on wires and in other people's programs. Lines may be added, never changed or removed. */
    private static final List<String> PUBLISHED = List.of(
            "1000 BAD_REQUEST",
            "1001 KEY_INVALID",
            "1002 POLICY_INVALID",
            "1003 TTL_INVALID",
            "1004 TIMEOUT_INVALID",
            "1005 VALUE_TOO_LARGE",
            "1006 SCAN_INVALID",
            "1007 UNKNOWN_RESOURCE",
            "1008 METHOD_NOT_ALLOWED",
            "1009 BATCH_TOO_LARGE",
            "1010 SNAPSHOT_GONE",
            "1011 ATOMIC_KEY",
            "1012 ATOMIC_KIND",
            "1013 COUNTER_OVERFLOW",
            "1014 CONDITION_FAILED",
            "1015 REQUEST_ID_REUSED",
            "1100 MALFORMED_FRAME",
            "1101 UNSUPPORTED_PROTOCOL",
            "1102 FRAME_TOO_LARGE",
            "1103 VERSION_TOO_FAR_AHEAD",
            "1104 VERSION_TOO_OLD",
            "1200 UNAUTHENTICATED",
            "1201 PERMISSION_DENIED",
            "2000 NOT_ENOUGH_REPLICAS",
            "2001 NOT_SENT",
            "2002 NOT_SERVING",
            "2003 STORE_FAILED",
            "2004 STALE_TOPOLOGY",
            "2005 PLACEMENT_MISMATCH",
            "2006 DEADLINE_PASSED",
            "2007 REPLICA_REFILLING",
            "2008 WRONG_RECIPIENT",
            "2009 CLOCK_CONTRADICTED",
            "2010 VERSION_SLOT_TAKEN",
            "2011 TOPOLOGY_BEHIND",
            "3000 WRITE_INDETERMINATE",
            "3001 INTERNAL",
            "3002 NO_REPLY",
            "3003 REQUEST_FORGOTTEN",
            "4000 OVERLOADED");

    @Test
    void numbersAndNamesAreStable() {
        assertThat(Arrays.stream(ErrorCode.values()).map(code -> code.number() + " " + code.name()))
                .containsExactlyInAnyOrderElementsOf(PUBLISHED);
    }

    @Test
    void noNumberIsUsedTwice() {
        assertThat(Arrays.stream(ErrorCode.values()).collect(Collectors.groupingBy(ErrorCode::number)))
                .hasSize(ErrorCode.values().length);
    }

    @ParameterizedTest
    @EnumSource
    void thousandsDigitStandsForTheAction(ErrorCode code) {
        int thousands = switch (code.action()) {
            case FIX_REQUEST -> 1;
            case RETRY_ANYWHERE -> 2;
            case REPEAT_ONLY_THIS -> 3;
            case BACK_OFF -> 4;
        };
        assertThat(code.number() / 1000).isEqualTo(thousands);
    }

    @ParameterizedTest
    @EnumSource
    void everyCodeHasANumberAndAnExceptionType(ErrorCode code) {
        assertThat(ErrorCode.byNumber(code.number())).contains(code);
        DhtException exception = DhtException.of(code, "what and where");
        assertThat(exception).hasMessage("what and where");
        assertThat(exception.code()).isEqualTo(code);
        Class<?> kind = switch (code.action()) {
            case FIX_REQUEST -> InvalidRequestException.class;
            case RETRY_ANYWHERE -> UnavailableException.class;
            case REPEAT_ONLY_THIS -> IndeterminateException.class;
            case BACK_OFF -> OverloadedException.class;
        };
        assertThat(exception).isInstanceOf(kind);
    }

    @Test
    void unknownNumbersAreNoCode() {
        assertThat(ErrorCode.byNumber(0)).isEmpty();
        assertThat(ErrorCode.byNumber(9999)).isEmpty();
        assertThat(ErrorCode.byNumber(-1)).isEmpty();
    }

    @Test
    void anExceptionRefusesACodeOfAnotherKind() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UnavailableException(ErrorCode.OVERLOADED, "no"))
                .withMessageContaining("OVERLOADED");
    }

    @Test
    void unwrappingStopsAtTheFirstCauseThatIsNoWrapper() {
        DhtException inner = DhtException.of(ErrorCode.NOT_SENT, "no");
        assertThat(DhtException.unwrap(new CompletionException(new ExecutionException(inner))))
                .isSameAs(inner);
        RuntimeException outer = new IllegalStateException(inner);
        assertThat(DhtException.unwrap(outer)).isSameAs(outer);
        CompletionException bare = new CompletionException("no cause", null);
        assertThat(DhtException.unwrap(bare)).isSameAs(bare);
    }
}
