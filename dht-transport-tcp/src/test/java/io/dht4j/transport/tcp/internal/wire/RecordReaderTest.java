package io.dht4j.transport.tcp.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.FrameAssembler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RecordReaderTest {

    /** Notes what it takes. */
    private static final class Notes implements RecordReader.Receiver {

        private final List<String> seen = new ArrayList<>();
        private int bytes;

        @Override
        public void begin(RecordHead head) {
            bytes = 0;
            seen.add(head.type() + " " + head.id() + " " + head.length() + " " + head.micros() + " " + head.total());
        }

        @Override
        public void take(RecordHead head, ByteBuffer in, int count, boolean last) {
            for (int i = 0; i < count; i++) {
                assertThat(in.get()).isEqualTo((byte) bytes++);
            }
            if (last) {
                assertThat(bytes).isEqualTo(head.length());
                seen.add("end");
            }
        }

        @Override
        public boolean isEnded() {
            return false;
        }
    }

    private static byte[] count(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static Frame split(byte[] bytes, int at) {
        return new Frame(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, at, bytes.length));
    }

    @Test
    void recordsAreReadAsTheyWereWrittenHoweverTheyAreCut() throws IOException {
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ByteBuffer out = ByteBuffer.allocate(1 << 20);
            List<String> expected = new ArrayList<>();
            for (int id = 1; id < 20; id++) {
                byte[] bytes = count(random.nextInt(3) * random.nextInt(500));
                int at = random.nextInt(bytes.length + 1);
                switch (random.nextInt(3)) {
                    case 0 -> {
                        assertThat(RecordWriter.request(out, id, 77, split(bytes, at)))
                                .isTrue();
                        expected.add("1 " + id + " " + bytes.length + " 77 " + bytes.length);
                    }
                    case 1 -> {
                        RecordWriter.requestBegins(out, id, 9, split(count(bytes.length + 5), at), bytes.length);
                        expected.add("2 " + id + " " + bytes.length + " 9 " + (bytes.length + 5));
                    }
                    default -> {
                        assertThat(RecordWriter.record(out, RecordType.REPLY, id, bytes))
                                .isTrue();
                        expected.add("5 " + id + " " + bytes.length + " 0 " + bytes.length);
                    }
                }
                expected.add("end");
            }
            out.flip();
            Notes notes = new Notes();
            RecordReader reader = new RecordReader(notes);
            while (out.hasRemaining()) {
                int length = Math.min(out.remaining(), 1 + random.nextInt(1 + random.nextInt(300)));
                reader.read(out.slice(out.position(), length));
                out.position(out.position() + length);
            }
            assertThat(notes.seen).as("seed %d", seed).isEqualTo(expected);
            assertThat(reader.isWithinHead()).isFalse();
        }
    }

    @Test
    void partsOfAFrameMakeTheWhole() throws IOException {
        byte[] bytes = count(200_000);
        Frame frame = split(bytes, 70_001);
        FrameAssembler body = new FrameAssembler(bytes.length);
        int from = 0;
        while (from < bytes.length) {
            ByteBuffer out = ByteBuffer.allocate(50_000 + from % 1_000);
            int length = RecordWriter.part(out, bytes.length, from);
            assertThat(length).isPositive();
            RecordWriter.requestPart(out, 1, frame, from, length);
            RecordReader.collect(body, out.flip().position(RecordType.HEAD_BYTES), length);
            from += length;
        }
        assertThat(body.isComplete()).isTrue();
        assertThat(Arrays.equals(body.bytes(), bytes)).isTrue();
    }

    @Test
    void hellosAreReadAsTheyWereWrittenHoweverTheyAreCut() throws IOException {
        Hello[] hellos = {
            Hello.ofCaller(Optional.empty(), new NodeId("n2")),
            Hello.ofCallee(Optional.of(new NodeId("n1")), 7),
            Hello.refusal("the certificate names somebody else"),
            Hello.refusal("")
        };
        for (Hello hello : hellos) {
            Hello.Reader reader = new Hello.Reader();
            byte[] bytes = hello.encode();
            for (int i = 0; i < bytes.length - 1; i++) {
                assertThat(reader.read(ByteBuffer.wrap(bytes, i, 1))).isEmpty();
            }
            ByteBuffer rest = ByteBuffer.wrap(new byte[] {bytes[bytes.length - 1], 42});
            assertThat(reader.read(rest)).contains(hello);
            assertThat(rest.get()).isEqualTo((byte) 42);
        }
        assertThat(new Hello.Reader()
                        .read(ByteBuffer.wrap(Hello.refusal("x".repeat(5_000)).encode())))
                .get()
                .extracting(read -> read.text().length())
                .isEqualTo(512);
    }
}
