package io.dht4j.transport.common.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameAssemblerTest {

    @Test
    void memoryGrowsWithWhatHasArrived() {
        FrameAssembler frame = new FrameAssembler(1 << 30);
        for (int i = 1; i <= 100; i++) {
            assertThat(frame.add(ByteBuffer.allocate(1_000), 1_000)).isTrue();
            assertThat(frame.bytes().length).isLessThanOrEqualTo(16 * 1_000 * i);
        }
    }

    @Test
    void piecesFromBuffersAndStreamsMakeTheWhole() throws IOException {
        byte[] bytes = new byte[50_000];
        new Random(42).nextBytes(bytes);
        FrameAssembler frame = new FrameAssembler(bytes.length);
        ByteBuffer in = ByteBuffer.wrap(bytes, 0, 20_000);
        assertThat(frame.add(in, 20_000)).isTrue();
        assertThat(in.hasRemaining()).isFalse();
        assertThat(frame.isComplete()).isFalse();
        assertThat(frame.add(new ByteArrayInputStream(bytes, 20_000, 30_000), 30_000))
                .isTrue();
        assertThat(frame.isComplete()).isTrue();
        assertThat(frame.bytes()).isEqualTo(bytes);
    }

    @Test
    void moreThanTheDeclaredLengthIsRefusedAndNotRead() throws IOException {
        FrameAssembler frame = new FrameAssembler(10);
        ByteBuffer in = ByteBuffer.allocate(11);
        assertThat(frame.add(in, 11)).isFalse();
        assertThat(in.remaining()).isEqualTo(11);
        assertThat(frame.add(in, 10)).isTrue();
        assertThat(frame.add(new ByteArrayInputStream(new byte[1]), 1)).isFalse();
        assertThat(frame.bytes()).hasSize(10);
    }

    @Test
    void aFrameOfNoBytesIsComplete() {
        FrameAssembler frame = new FrameAssembler(0);
        assertThat(frame.isComplete()).isTrue();
        assertThat(frame.bytes()).isEmpty();
    }
}
