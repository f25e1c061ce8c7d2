package io.dht4j.transport.http.internal.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.dht4j.transport.common.CallerNetwork;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection from the moment of its acceptance. This handler precedes all others of the connection's bytes. It
 * enforces that requests arrive in time, and inserts {@link HttpRequestValidator} behind the decoder of HTTP/1.1 before
 * that has read a whole head.
 *
 * <p>Its reports to {@link AcceptedConnections} may come from any thread; the rest belongs to its event loop.
 */
public final class AcceptedConnection extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(AcceptedConnection.class);

    /** HTTP/2's preface. Before its last byte the server may not know the client's protocol. */
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);

    /** The length of the preface's beginning that is the head of a request in HTTP/1.1. */
    private static final int PREFACE_HEAD_BYTES = 18;

    private static final long IN_USE = Long.MIN_VALUE;

    /** The time without a byte after which a body no longer keeps its connection's place. */
    private static final long BODY_STALLS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AcceptedConnections all;
    private final Channel channel;
    private final InetSocketAddress remote;
    private final CallerNetwork address;

    /** Written by {@link AcceptedConnections} only, with its lock. */
    private volatile Standing standing = Standing.UNPROVED;

    /** A moment by {@link System#nanoTime()}, or {@link #IN_USE}. Written on the event loop only. */
    private volatile long idleSince = IN_USE;

    /** When the last part of a body came. Written on the event loop only. */
    private volatile long bodyCameAt = System.nanoTime() - BODY_STALLS_NANOS;

    /** The number of counted requests. */
    private int requests;

    private boolean settled;
    private boolean refused;
    private int passed;
    private @Nullable HttpRequestValidator rules;
    private @Nullable Future<?> headTimer;

    AcceptedConnection(AcceptedConnections all, Channel channel, InetSocketAddress remote, CallerNetwork address) {
        this.all = all;
        this.channel = channel;
        this.remote = remote;
        this.address = address;
    }

    /** The category of a connection. */
    enum Standing {
        /** No whole request has come over it, and it may have to give way. */
        UNPROVED,
        /** It makes public requests. */
        PUBLIC,
        /** It has brought a whole frame of a peer. */
        PEER,
        /** It was closed, or is about to be. */
        GONE
    }

    Standing standing() {
        return standing;
    }

    void standing(Standing now) {
        standing = now;
    }

    /** Returns the address of the other end. */
    InetSocketAddress remote() {
        return remote;
    }

    /** Returns the key that connections from one source share. */
    CallerNetwork address() {
        return address;
    }

    /** Notes that the head of a request has come over this connection. Must be called on its event loop. */
    public void headCame() {
        stopHeadTimer();
    }

    /**
     * Records a public request over this connection whose end is not reported, so that the connection counts as in use
     * while it is open. Must be called on its event loop.
     *
     * @return whether there is a place for a connection that makes such requests; if not, the caller refuses the
     *     request
     */
    public boolean admitPublic() {
        return hasPlace() || all.admitPublic(this);
    }

    /**
     * Records that a whole public request has arrived over this connection. Must be called on its event loop.
     *
     * @return whether there is a place for a connection that makes such requests; if not, the caller refuses the
     *     request, else the connection is in use until {@link #endPublic} is called
     */
    public boolean beginPublic() {
        // Before the check of its standing: the thread that takes its place sets that before it checks whether it is in
        // use.
        idleSince = IN_USE;
        requests++;
        if (admitPublic()) {
            return true;
        }
        endPublic();
        return false;
    }

    /** Notes that a public request has its answer, or never will have. Must be called on its event loop. */
    public void endPublic() {
        requests--;
        if (requests == 0) {
            idleSince = System.nanoTime();
        }
    }

    /** Notes that a part of a public request's body has come over this connection. Must be called on its event loop. */
    public void bodyCame() {
        bodyCameAt = System.nanoTime();
    }

    /** Returns since when no public request is in flight, by {@link System#nanoTime()}; empty if it is in use. */
    OptionalLong idleSince(long now) {
        long since = idleSince;
        return since == IN_USE || now - bodyCameAt < BODY_STALLS_NANOS ? OptionalLong.empty() : OptionalLong.of(since);
    }

    /**
     * Notes that a whole frame of a peer has come over this connection, so that it has a peer's place. Must be called
     * on its event loop.
     */
    public void provePeer() {
        if (standing != Standing.PEER) {
            all.provePeer(this);
        }
    }

    /** Returns whether it has a place of its own. */
    public boolean hasPlace() {
        return standing == Standing.PUBLIC || standing == Standing.PEER;
    }

    /** Returns whether it has brought a frame of a peer. */
    public boolean isPeer() {
        return standing == Standing.PEER;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws Exception {
        startHeadTimer();
        super.channelActive(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        stopHeadTimer();
        super.channelInactive(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (refused) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (!settled && message instanceof ByteBuf bytes) {
            passUntilSettled(ctx, bytes);
            return;
        }
        HttpRequestValidator known = rules;
        if (known == null) {
            ctx.fireChannelRead(message);
            return;
        }
        known.beginRead();
        ctx.fireChannelRead(message);
        if (known.endedReadWithinHead()) {
            startHeadTimer();
        }
    }

    /**
     * Passes the first bytes on one by one until the client's protocol is known. A decoder that is made for HTTP/1.1
     * has then seen too few of them to recognise a request, and the rules are installed behind it in time.
     */
    private void passUntilSettled(ChannelHandlerContext ctx, ByteBuf bytes) {
        settle(ctx.pipeline());
        while (!settled && passed < PREFACE.length && bytes.isReadable()) {
            if (passed >= PREFACE_HEAD_BYTES && bytes.getByte(bytes.readerIndex()) != PREFACE[passed]) {
                bytes.release();
                refuseVersion(ctx);
                return;
            }
            passed++;
            ctx.fireChannelRead(bytes.readRetainedSlice(1));
            settle(ctx.pipeline());
        }
        if (bytes.isReadable()) {
            ctx.fireChannelRead(bytes);
        } else {
            bytes.release();
        }
    }

    /** Refuses a preface that breaks off behind a whole head, which the rules would see too late. */
    private void refuseVersion(ChannelHandlerContext ctx) {
        refused = true;
        byte[] body = all.refusals().body(HttpRequestValidator.OTHER_VERSION, HttpRequestValidator.VERSIONS);
        String head = "HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Type: " + Refusals.CONTENT_TYPE
                + "\r\nContent-Length: " + body.length + "\r\n" + BrowserHeaders.CONTENT_TYPE_OPTIONS + ": "
                + BrowserHeaders.NOSNIFF + "\r\n" + BrowserHeaders.RESOURCE_POLICY + ": "
                + BrowserHeaders.SAME_ORIGIN + "\r\nConnection: close\r\n\r\n";
        ctx.writeAndFlush(Unpooled.wrappedBuffer(head.getBytes(US_ASCII), body))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void settle(ChannelPipeline pipeline) {
        // With TLS the bytes are not the client's; the server reports the protocol itself when it knows it.
        settled = pipeline.get(SslHandler.class) != null
                || pipeline.get(Http2ConnectionHandler.class) != null
                || pipeline.get(HttpRequestDecoder.class) != null;
        install();
    }

    /** Puts the rules behind the decoder of HTTP/1.1, once there is one. Must be called on the event loop. */
    public void install() {
        ChannelPipeline pipeline = channel.pipeline();
        ChannelHandlerContext encoder = pipeline.context(HttpResponseEncoder.class);
        if (rules == null && encoder != null && pipeline.get(HttpRequestDecoder.class) != null) {
            HttpRequestValidator made = new HttpRequestValidator(this, all.refusals());
            pipeline.addAfter(encoder.name(), "requestRules", made);
            rules = made;
        }
    }

    /**
     * Enforces {@link Http2Rules} and reports each stream of HTTP/2 that this node resets from now on. A client's
     * protocol error makes it do so, thus these resets cost a client as little as its own. Must be called on the event
     * loop, once the protocol is known.
     *
     * @param reset runs on the event loop for each of them, after the frames that have come with the cause
     */
    public void installHttp2(Runnable reset) {
        Http2ConnectionHandler handler = channel.pipeline().get(Http2ConnectionHandler.class);
        if (handler == null) {
            return;
        }
        Http2Rules.install(handler);
        handler.connection().addListener(new Http2ConnectionAdapter() {
            @Override
            public void onStreamClosed(Http2Stream stream) {
                if (stream.isResetSent()) {
                    // Later: the action may close the connection, which must not happen within this event.
                    channel.eventLoop().execute(reset);
                }
            }
        });
    }

    private void startHeadTimer() {
        if (headTimer == null) {
            headTimer = channel.eventLoop()
                    .schedule(this::headIsLate, all.limits().headTimeout().toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void stopHeadTimer() {
        Future<?> timer = headTimer;
        if (timer != null) {
            headTimer = null;
            timer.cancel(false);
        }
    }

    private void headIsLate() {
        headTimer = null;
        if (!channel.config().isAutoRead()) {
            // The server does not read now: the client is not late.
            startHeadTimer();
            return;
        }
        closeNow();
    }

    /**
     * Closes the connection without waiting for unsent data: a client that does not read would never release its place.
     * A close through the request handlers would wait. May be called from any thread; the work follows later.
     */
    void closeNow() {
        try {
            channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
        } catch (RejectedExecutionException e) {
            // The listener is closed, or its event loop has ended.
            LOG.debug("the connection of {} goes with its event loop", remote, e);
        }
    }
}
