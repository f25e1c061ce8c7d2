package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.StoreException;
import io.dht4j.spi.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PrintableTextTest {

    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");
    private static final String HOSTILE = "a\u001b[2J\rb\nc\u2028d\u202ee\u0085f\u009b31m";

    @Test
    void nothingOfCategoryCAndNoSeparatorOfLinesIsLeft() {
        List<String> wrong = new ArrayList<>();
        for (int character = 0; character <= Character.MAX_CODE_POINT; character++) {
            String text = Character.toString(character);
            String shown = PrintableText.of(text);
            boolean isUnprintable = UNPRINTABLE.matcher(text).find();
            if (UNPRINTABLE.matcher(shown).find() || text.equals(shown) == isUnprintable) {
                wrong.add(Integer.toHexString(character));
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void escapesNameTheCharacter() {
        assertThat(PrintableText.of("tab\tline\nreturn\r escape\u001b bell\u0007 rtl\u202e sep\u2029"))
                .isEqualTo("tab\\tline\\nreturn\\r escape\\u001b bell\\u0007 rtl\\u202e sep\\u2029");
        assertThat(PrintableText.of("tag " + Character.toString(0xE0041))).isEqualTo("tag \\udb40\\udc41");
        assertThat(PrintableText.of("half \ud83d")).isEqualTo("half \\ud83d");
    }

    @Test
    void lettersSignsAndEmojiStay() {
        String text = "ключ, 鍵, clé, \\path, \ud83d\ude00 ";

        assertThat(PrintableText.of(text)).isSameAs(text);
    }

    @Test
    void aLongTextIsCut() {
        assertThat(PrintableText.of("abcdef", 3)).isEqualTo("abc...");
        assertThat(PrintableText.of("abc", 3)).isEqualTo("abc");
        assertThat(PrintableText.of("\n".repeat(9), 2)).isEqualTo("\\n\\n...");
    }

    @Test
    void linesOfAStackTraceStay() {
        assertThat(PrintableText.lines("a\r\n\tat b\u001b[0m\rc\n")).isEqualTo("a\r\n\tat b\\u001b[0m\\rc\n");
    }

    @Test
    void messagesOfThisLibrarysFailuresAreOneLine() {
        List<String> messages = new ArrayList<>();
        for (ErrorCode code : ErrorCode.values()) {
            messages.add(DhtException.of(code, HOSTILE).getMessage());
        }
        messages.add(new TransportException(TransportException.Outcome.UNKNOWN, HOSTILE).getMessage());
        messages.add(new TransportException(TransportException.Reason.REFUSED, HOSTILE).getMessage());
        messages.add(new TransportException(TransportException.Outcome.UNKNOWN, HOSTILE, new Exception()).getMessage());
        messages.add(new StoreException(HOSTILE).getMessage());
        messages.add(new StoreException(HOSTILE, new Exception()).getMessage());
        try {
            messages.add(new NodeId(HOSTILE).value());
        } catch (IllegalArgumentException e) {
            messages.add(e.getMessage());
        }

        assertThat(messages)
                .allSatisfy(message ->
                        assertThat(UNPRINTABLE.matcher(message).find()).isFalse());
        assertThat(messages).allSatisfy(message -> assertThat(message).contains("a\\u001b[2J\\rb\\nc\\u2028d"));
    }
}
