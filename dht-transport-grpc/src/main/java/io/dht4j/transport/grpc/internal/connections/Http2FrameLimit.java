package io.dht4j.transport.grpc.internal.connections;

import io.dht4j.transport.common.FloodCount;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Ends an HTTP/2 connection that sends more frames without a call than any client needs: settings, priorities, empty
 * data, and unknown types. The client receives the reason. gRPC itself limits resets and pings, but not these. The
 * handler inspects the heads of the frames and passes them on to gRPC. One for each connection; for its event loop.
 */
public final class Http2FrameLimit extends ChannelInboundHandlerAdapter {

    /** Far more than clients send, far fewer than would keep a processor busy. */
    public static final int MAX_FRAMES = 1000;

    private static final long GOODBYE_MILLIS = 500;

    private static final int PREFACE_BYTES = 24;
    private static final int HEAD_BYTES = 9;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PRIORITY = 2;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;
    private static final int LAST_KNOWN = 9;
    private static final int END_STREAM = 1;
    private static final int ENHANCE_YOUR_CALM = 11;

    private final byte[] head = new byte[HEAD_BYTES];
    private int headBytes;
    private int skip = PREFACE_BYTES;
    private int lastStream;
    private final FloodCount frames = new FloodCount(MAX_FRAMES);
    private boolean ended;

    /** Watches a connection that was just accepted. */
    public static void watch(Channel connection) {
        connection.pipeline().addLast(new Placing());
    }

    /** Takes its place in the pipeline at the first bytes: behind TLS, if there is any. */
    private static final class Placing extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ChannelHandlerContext tls = context.pipeline().context(SslHandler.class);
            context.pipeline().addAfter(tls == null ? context.name() : tls.name(), null, new Http2FrameLimit());
            context.pipeline().remove(this);
            context.fireChannelRead(message);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (ended) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof ByteBuf bytes && isTooMuch(bytes)) {
            ended = true;
            bytes.release();
            goAway(context);
            return;
        }
        context.fireChannelRead(message);
    }

    private boolean isTooMuch(ByteBuf bytes) {
        int at = bytes.readerIndex();
        while (at < bytes.writerIndex()) {
            int left = bytes.writerIndex() - at;
            if (skip > 0) {
                int passed = Math.min(skip, left);
                skip -= passed;
                at += passed;
                continue;
            }
            int taken = Math.min(HEAD_BYTES - headBytes, left);
            bytes.getBytes(at, head, headBytes, taken);
            headBytes += taken;
            at += taken;
            if (headBytes == HEAD_BYTES) {
                headBytes = 0;
                skip = ByteBuffer.wrap(head).getInt(0) >>> Byte.SIZE;
                if (carriesNothing(head[3] & 0xFF, head[4]) && frames.isOneTooMany()) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean carriesNothing(int type, int flags) {
        if (type == HEADERS) {
            lastStream = ByteBuffer.wrap(head).getInt(5) & Integer.MAX_VALUE;
        }
        return type == SETTINGS
                || type == PRIORITY
                || type > LAST_KNOWN
                || (type == DATA && skip == 0 && (flags & END_STREAM) == 0);
    }

    private void goAway(ChannelHandlerContext context) {
        byte[] why = ("more than " + MAX_FRAMES + " frames without a call in " + FloodCount.WINDOW_SECONDS + " s")
                .getBytes(StandardCharsets.US_ASCII);
        ByteBuf frame = Unpooled.buffer(HEAD_BYTES + 8 + why.length);
        frame.writeMedium(8 + why.length).writeByte(GOAWAY).writeByte(0).writeInt(0);
        frame.writeInt(lastStream).writeInt(ENHANCE_YOUR_CALM).writeBytes(why);
        context.writeAndFlush(frame);
        // Bytes that still arrive are read and dropped: an earlier close would reset the connection, and the client
        // would not receive the reason.
        context.executor().schedule(() -> context.close(), GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
