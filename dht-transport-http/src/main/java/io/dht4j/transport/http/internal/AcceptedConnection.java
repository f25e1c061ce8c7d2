package io.dht4j.transport.http.internal;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection from when it is accepted. It stands before everything else that handles the connection's bytes, sees to
 * it that requests come in time, and puts {@link RequestRules} behind the decoder of HTTP/1.1 before that has seen a
 * whole head.
 *
 * <p>What it says of itself to {@link AcceptedConnections} may come from any thread; the rest belongs to its event
 * loop.
 */
public final class AcceptedConnection extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(AcceptedConnection.class);

    /** So long is what HTTP/2 begins with; before its last byte the server may not know what the client speaks. */
    private static final int PREFACE_BYTES = 24;

    private static final long IN_USE = Long.MIN_VALUE;

    /** A body of which nothing has come for so long keeps no connection its place. */
    private static final long BODY_STALLS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AcceptedConnections all;
    private final Channel channel;
    private final InetSocketAddress remote;
    private final Object address;

    /** Written by {@link AcceptedConnections} only, with its lock. */
    private volatile Standing standing = Standing.UNPROVED;

    /** A moment by {@link System#nanoTime()}, or {@link #IN_USE}. Written on the event loop only. */
    private volatile long idleSince = IN_USE;

    /** When a part of a body came last. Written on the event loop only. */
    private volatile long bodyCameAt = System.nanoTime() - BODY_STALLS_NANOS;

    /** Of those that are counted. */
    private int requests;

    private boolean settled;
    private int passed;
    private @Nullable RequestRules rules;
    private @Nullable Future<?> headTimer;

    AcceptedConnection(AcceptedConnections all, Channel channel, InetSocketAddress remote, Object address) {
        this.all = all;
        this.channel = channel;
        this.remote = remote;
        this.address = address;
    }

    /** As what a connection counts. */
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

    /** Who is at the other end. */
    InetSocketAddress remote() {
        return remote;
    }

    /** What connections from one place have in common. */
    Object address() {
        return address;
    }

    /** The head of a request has come over this connection. To be called on its event loop. */
    public void headCame() {
        stopHeadTimer();
    }

    /**
     * A public request has come over this connection whose end nobody reports, so that the connection counts as in use
     * for as long as it is open. To be called on its event loop.
     *
     * @return whether there is a place for a connection that makes such requests; if not, the request is to be refused
     */
    public boolean admitPublic() {
        return hasPlace() || all.admitPublic(this);
    }

    /**
     * A public request has come over this connection as a whole. To be called on its event loop.
     *
     * @return whether there is a place for a connection that makes such requests; if not, the request is to be refused,
     *     else the connection is in use until {@link #endPublic} is called
     */
    public boolean beginPublic() {
        // Before the look at its standing: whoever takes its place sets that before it looks whether it is in use.
        idleSince = IN_USE;
        requests++;
        if (admitPublic()) {
            return true;
        }
        endPublic();
        return false;
    }

    /** A public request that began has its answer, or never will have. To be called on its event loop. */
    public void endPublic() {
        requests--;
        if (requests == 0) {
            idleSince = System.nanoTime();
        }
    }

    /** A part of a public request's body has come over this connection. To be called on its event loop. */
    public void bodyCame() {
        bodyCameAt = System.nanoTime();
    }

    /** Since when no public request is under way, by {@link System#nanoTime()}; empty if it is in use. */
    OptionalLong idleSince(long now) {
        long since = idleSince;
        return since == IN_USE || now - bodyCameAt < BODY_STALLS_NANOS ? OptionalLong.empty() : OptionalLong.of(since);
    }

    /**
     * A whole frame of a peer has come over this connection, so that it has a peer's place. To be called on its event
     * loop.
     */
    public void provePeer() {
        if (standing != Standing.PEER) {
            all.provePeer(this);
        }
    }

    /** Whether it has a place of its own. */
    public boolean hasPlace() {
        return standing == Standing.PUBLIC || standing == Standing.PEER;
    }

    /** Whether it has brought a frame of a peer. */
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
        if (!settled && message instanceof ByteBuf bytes) {
            passUntilSettled(ctx, bytes);
            return;
        }
        RequestRules known = rules;
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
     * Passes the first bytes on one by one until it is known what the client speaks: a decoder that is made for
     * HTTP/1.1 has seen too few of them to make out a request, and the rules are behind it in time.
     */
    private void passUntilSettled(ChannelHandlerContext ctx, ByteBuf bytes) {
        settle(ctx.pipeline());
        while (!settled && passed < PREFACE_BYTES && bytes.isReadable()) {
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

    private void settle(ChannelPipeline pipeline) {
        // With TLS the bytes are not the client's; the server says itself when it knows the protocol.
        settled = pipeline.get(SslHandler.class) != null
                || pipeline.get(Http2ConnectionHandler.class) != null
                || pipeline.get(HttpRequestDecoder.class) != null;
        install();
    }

    /** Puts the rules behind the decoder of HTTP/1.1, once there is one. To be called on the event loop. */
    public void install() {
        ChannelPipeline pipeline = channel.pipeline();
        ChannelHandlerContext encoder = pipeline.context(HttpResponseEncoder.class);
        if (rules == null && encoder != null && pipeline.get(HttpRequestDecoder.class) != null) {
            RequestRules made = new RequestRules(this, all.refusals());
            pipeline.addAfter(encoder.name(), "requestRules", made);
            rules = made;
        }
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
            // The server does not read now: it is not the client who is late.
            startHeadTimer();
            return;
        }
        closeNow();
    }

    /**
     * Closes the connection without waiting for what is to be written: a client that does not read would never let go
     * of its place. What handles requests above would wait. To be called from any thread; it is done later.
     */
    void closeNow() {
        try {
            channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
        } catch (RejectedExecutionException e) {
            // The listener is closed, or its event loop has ended: nothing is accepted any more.
            LOG.debug("the connection of {} goes with its event loop", remote, e);
        }
    }
}
