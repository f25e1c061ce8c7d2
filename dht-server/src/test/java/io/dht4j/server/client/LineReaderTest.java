package io.dht4j.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LineReaderTest {

    @Test
    void cutsAtLineFeedsAndCounts() throws Exception {
        LineReader lines = reader("a\n\nbc");

        assertThat(texts(lines)).containsExactly("a", "", "bc");
        assertThat(lines.lineNumber()).isEqualTo(3);
        assertThat(lines.bytesRead()).isEqualTo(5);
    }

    @Test
    void aLastLineFeedEndsTheLastLine() throws Exception {
        assertThat(texts(reader("a\nb\n"))).containsExactly("a", "b");
        assertThat(texts(reader(""))).isEmpty();
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFirstLine() throws Exception {
        assertThat(texts(reader("\uFEFFa\nb\n"))).containsExactly("a", "b");
        assertThat(texts(reader("\uFEFF"))).containsExactly("");
        assertThat(texts(reader("a\n\uFEFFb\n"))).containsExactly("a", "\uFEFFb");
    }

    @Test
    void linesMayBeLongerThanTheBuffer() throws Exception {
        String text = "x".repeat(200_000);

        assertThat(texts(reader("a\n" + text + "\nb"))).containsExactly("a", text, "b");
    }

    @Test
    void aLineOverTheLimitIsRefusedAndNamed() throws Exception {
        LineReader lines = new LineReader(new ByteArrayInputStream("ab\nabc\n".getBytes(StandardCharsets.UTF_8)), 2);
        lines.next();

        assertThatThrownBy(lines::next).isInstanceOf(ClientException.class).hasMessage("line 2 is longer than 2 bytes");
    }

    private static LineReader reader(String text) {
        return new LineReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> texts(LineReader lines) throws Exception {
        List<String> texts = new ArrayList<>();
        for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
            texts.add(new String(line.get(), StandardCharsets.UTF_8));
        }
        return texts;
    }
}
