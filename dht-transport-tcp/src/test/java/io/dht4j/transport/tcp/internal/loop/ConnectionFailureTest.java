package io.dht4j.transport.tcp.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections for which there is no memory. */
class ConnectionFailureTest {

    /** A connection that cannot write. */
    private static final class Failing extends Connection {

        private final CompletableFuture<Throwable> end;

        Failing(EventLoop loop, SelectionKey key, CompletableFuture<Throwable> end) {
            super(loop, key, new PlainWire((SocketChannel) key.channel()));
            this.end = end;
        }

        @Override
        protected void opened() {}

        @Override
        protected void received(ByteBuffer in) {
            in.position(in.limit());
        }

        @Override
        protected void receivedAll() {}

        @Override
        protected void fill(ByteBuffer buffer) {
            buffer.putLong(1);
            throw new OutOfMemoryError("as this test wants it");
        }

        @Override
        protected void lost(Throwable why) {
            end.complete(why);
        }
    }

    @Test
    void aConnectionThatFailsWhileItPutsBytesTogetherEnds() throws Exception {
        EventLoops loops = EventLoops.start(1, "test-loop", Duration.ofSeconds(1));
        EventLoop loop = loops.next();
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel channel = SocketChannel.open(listener.getLocalAddress());
                SocketChannel other = listener.accept()) {
            channel.configureBlocking(false);
            loop.execute(new LoopTask(() -> flush(loop, channel, end)));
            assertThat(end.get(60, TimeUnit.SECONDS)).isInstanceOf(OutOfMemoryError.class);
            // Nothing of what it had put together was written.
            assertThat(other.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        } finally {
            assertThat(loops.close(Duration.ofSeconds(60))).isTrue();
        }
    }

    private static void flush(EventLoop loop, SocketChannel channel, CompletableFuture<Throwable> end) {
        try {
            Failing connection = new Failing(loop, loop.register(channel), end);
            connection.begin();
            connection.flush();
        } catch (IOException e) {
            end.completeExceptionally(e);
        }
    }
}
