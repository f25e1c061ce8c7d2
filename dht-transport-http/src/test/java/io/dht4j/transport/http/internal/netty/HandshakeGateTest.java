package io.dht4j.transport.http.internal.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.transport.common.CallerNetwork;
import io.dht4j.transport.common.HandshakeQueue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection in its handshake, on an event loop that is busy with the handshake of another one. */
class HandshakeGateTest {

    private static final CallerNetwork SOURCE = CallerNetwork.of(InetAddress.getLoopbackAddress());
    private static final int REQUEST_BYTES = 1 << 20;

    private final Queue<Runnable> delayed = new ArrayDeque<>();
    private long now;
    private final HandshakeQueue queue = new HandshakeQueue(() -> now, (task, nanos) -> delayed.add(task));
    private final Passed passed = new Passed();
    private final EmbeddedChannel channel;

    HandshakeGateTest() throws NoSuchAlgorithmException {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(false);
        channel = new EmbeddedChannel();
        HandshakeGate gate = new HandshakeGate(new ConcurrentHashMap<>(Map.of(channel.eventLoop(), queue)), SOURCE);
        channel.pipeline().addLast(gate, passed, new SslHandler(engine));
        queue.run(SOURCE, () -> now += 1_000_000);
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    /** Takes what the gate passes on. */
    private static final class Passed extends ChannelInboundHandlerAdapter {

        private int bytes;
        private boolean complete;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf read = (ByteBuf) message;
            bytes += read.readableBytes();
            read.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            complete = true;
        }
    }

    private void runDelayed() {
        now += 1_000_000;
        delayed.remove().run();
    }

    @Test
    void aLargeRequestBehindTheHandshakeWaitsInTheSocket() {
        channel.writeInbound(Unpooled.buffer().writeZero(REQUEST_BYTES));
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(passed.bytes).isZero();
        assertThat(passed.complete).isFalse();

        runDelayed();
        assertThat(passed.bytes).isEqualTo(REQUEST_BYTES);
        assertThat(passed.complete).isTrue();
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void aConnectionThatEndsLeavesTheQueue() {
        ByteBuf hello = Unpooled.buffer().writeZero(1);
        channel.writeInbound(hello);
        channel.close();
        assertThat(hello.refCnt()).isZero();

        runDelayed();
        assertThat(delayed).isEmpty();
        assertThat(channel.config().isAutoRead()).as("its step has run").isFalse();
    }
}
