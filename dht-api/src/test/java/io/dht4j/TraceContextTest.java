package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {

    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Test
    void headersAreReadAndWritten() {
        TraceContext context = TraceContext.parse(PARENT, "a=1,b=2").orElseThrow();
        assertThat(context)
                .isEqualTo(
                        new TraceContext(0x0af7651916cd43ddL, 0x8448eb211c80319cL, 0xb7ad6b7169203331L, 1, "a=1,b=2"));
        assertThat(context.traceparent()).isEqualTo(PARENT);
        assertThat(context.isSampled()).isTrue();
        assertThat(TraceContext.parse(PARENT.replace("-01", "-00"), null)
                        .orElseThrow()
                        .isSampled())
                .isFalse();
    }

    @Test
    void aLaterVersionIsReadAsFarAsItIsKnown() {
        assertThat(TraceContext.parse("cc" + PARENT.substring(2) + "-what-will-be", null))
                .isEqualTo(TraceContext.parse(PARENT, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x"
            })
    void aMalformedParentIsIgnored(String parent) {
        assertThat(TraceContext.parse(parent, null)).isEmpty();
    }

    @Test
    void aStateThatIsTooLongOrNotPrintableIsIgnored() {
        String longest = "a".repeat(TraceContext.MAX_STATE);
        assertThat(TraceContext.parse(PARENT, longest).orElseThrow().state()).isEqualTo(longest);
        assertThat(TraceContext.parse(PARENT, longest + "a").orElseThrow().state())
                .isEmpty();
        assertThat(TraceContext.parse(PARENT, "a=\nb").orElseThrow().state()).isEmpty();
        assertThat(TraceContext.parse(PARENT, "a=ü").orElseThrow().state()).isEmpty();
    }

    @Test
    void identifiersFlagsAndStateHaveRanges() {
        assertThatIllegalArgumentException().isThrownBy(() -> new TraceContext(0, 0, 1, 0, ""));
        assertThatIllegalArgumentException().isThrownBy(() -> new TraceContext(0, 1, 0, 0, ""));
        assertThatIllegalArgumentException().isThrownBy(() -> new TraceContext(0, 1, 1, 256, ""));
        assertThatIllegalArgumentException().isThrownBy(() -> new TraceContext(0, 1, 1, 0, "\u007f"));
    }
}
