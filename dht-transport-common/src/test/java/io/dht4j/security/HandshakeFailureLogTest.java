package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HandshakeFailureLogTest {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
    private final List<String> lines = new ArrayList<>();
    private final HandshakeFailureLog callers = new HandshakeFailureLog(lines::add, now::get);

    private void minutesPass(int minutes) {
        now.addAndGet(TimeUnit.MINUTES.toNanos(minutes));
    }

    @Test
    void eachAddressAndReasonIsToldOnce() {
        for (int i = 0; i < 5; i++) {
            callers.refused("10.0.0.1", "the certificate names [n9]");
            callers.refused("10.0.0.2", "the certificate names [n9]");
            callers.refused("10.0.0.1", "there is no certificate");
            minutesPass(10);
        }
        assertThat(lines)
                .containsExactly(
                        "refused 10.0.0.1: the certificate names [n9]",
                        "refused 10.0.0.2: the certificate names [n9]",
                        "refused 10.0.0.1: there is no certificate");
    }

    @Test
    void whatCallersWriteIsOneLineWithoutControlCharacters() {
        String hostile = "a\u001b[2J\rb\nc\u2028d";

        callers.refused("10.0.0.1" + hostile, hostile);

        assertThat(lines)
                .singleElement()
                .asString()
                .matches("[^\\p{C}\\p{Zl}\\p{Zp}]*")
                .contains("a\\u001b[2J\\rb\\nc\\u2028d");
    }

    @Test
    void ofManyWithinAMinuteTheRestIsCountedAndToldLater() {
        for (int i = 0; i < 1_000; i++) {
            callers.refused("10.0.0." + i, "why");
        }
        assertThat(lines).hasSize(HandshakeFailureLog.LINES_PER_MINUTE);
        minutesPass(1);
        callers.refused("10.0.0.999", "why");
        callers.refused("10.0.0.998", "why");
        assertThat(lines.subList(HandshakeFailureLog.LINES_PER_MINUTE, lines.size()))
                .containsExactly(
                        "refused 10.0.0.999: why (and 980 times others or for other reasons)",
                        "refused 10.0.0.998: why");
    }

    @Test
    void onlyTheLatestAreRemembered() {
        for (int i = 0; i <= HandshakeFailureLog.REMEMBERED; i++) {
            callers.refused("caller " + i, "why");
            minutesPass(1);
        }
        lines.clear();
        callers.refused("caller " + HandshakeFailureLog.REMEMBERED, "why");
        assertThat(lines).isEmpty();
        callers.refused("caller 0", "why");
        assertThat(lines).containsExactly("refused caller 0: why");
    }

    @Test
    void aLineIsOneLineAndNotLongWhateverTheCertificateNames() {
        callers.refused("10.0.0.1", "names [a\nWARN forged\u001b[2J" + "x".repeat(100_000) + "]");
        assertThat(lines)
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("refused 10.0.0.1: names [a\\nWARN forged\\u001b[2Jxxx")
                        .hasSizeLessThan(400));
    }
}
