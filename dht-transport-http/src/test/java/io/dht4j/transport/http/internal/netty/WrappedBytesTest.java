package io.dht4j.transport.http.internal.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import org.junit.jupiter.api.Test;

class WrappedBytesTest {

    @Test
    void bytesThatFillTheirArrayAreTakenWithoutACopy() {
        Buffer received = Buffer.buffer("frame".getBytes(US_ASCII));

        byte[] taken = WrappedBytes.take(received);

        assertThat(taken).isEqualTo("frame".getBytes(US_ASCII));
        assertThat(taken)
                .isSameAs(((BufferInternal) received).getByteBuf().array())
                .isSameAs(WrappedBytes.take(received));
    }

    @Test
    void partOfALargerArrayIsCopied() {
        Buffer whole = Buffer.buffer("a frame and more".getBytes(US_ASCII));

        assertThat(WrappedBytes.take(whole.slice(2, 7))).isEqualTo("frame".getBytes(US_ASCII));
        assertThat(WrappedBytes.take(whole.slice(0, 7))).isEqualTo("a frame".getBytes(US_ASCII));
    }

    @Test
    void arrayWithRoomBehindTheBytesIsCopied() {
        Buffer received = Buffer.buffer(100).appendString("frame");

        assertThat(WrappedBytes.take(received)).isEqualTo("frame".getBytes(US_ASCII));
    }

    @Test
    void severalArraysBecomeOneBuffer() {
        Buffer buffer = WrappedBytes.of("fra".getBytes(US_ASCII), "me".getBytes(US_ASCII));

        assertThat(buffer.toString()).isEqualTo("frame");
        assertThat(WrappedBytes.take(buffer)).isEqualTo("frame".getBytes(US_ASCII));
    }
}
