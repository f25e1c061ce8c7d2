package io.dht4j.transport.http.internal.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * A rule of RFC 9113 that the wrapped server does not enforce: a request names its host once. Like other malformed
 * requests of HTTP/2, one with more {@code Host} fields has its stream reset. The server drops these fields, so that
 * its handlers cannot count them.
 *
 * <p>A stream that is reset by its first frame is closed at once. Vert.x (5.2.0) does not know it, and fails with a
 * {@link NullPointerException} and a stack trace if the connection ends before the reset is written. Belongs to the
 * connection's event loop.
 */
final class Http2Rules extends Http2FrameListenerDecorator {

    private final Http2ConnectionHandler handler;

    private Http2Rules(Http2ConnectionHandler handler) {
        super(handler.decoder().frameListener());
        this.handler = handler;
    }

    /** Enforces the rule for the requests that come from now on. */
    static void install(Http2ConnectionHandler handler) {
        handler.decoder().frameListener(new Http2Rules(handler));
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int stream, Http2Headers headers, int padding, boolean ends)
            throws Http2Exception {
        if (hasOneHost(ctx, stream, headers)) {
            super.onHeadersRead(ctx, stream, headers, padding, ends);
            closeIfReset(stream);
        }
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx,
            int stream,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean ends)
            throws Http2Exception {
        if (hasOneHost(ctx, stream, headers)) {
            super.onHeadersRead(ctx, stream, headers, dependency, weight, exclusive, padding, ends);
            closeIfReset(stream);
        }
    }

    /** Returns whether a request has one {@code Host} field at most; resets its stream otherwise. */
    private boolean hasOneHost(ChannelHandlerContext ctx, int stream, Http2Headers headers) {
        if (headers.getAll(HttpHeaderNames.HOST).size() <= 1) {
            return true;
        }
        handler.resetStream(ctx, stream, Http2Error.PROTOCOL_ERROR.code(), ctx.newPromise());
        closeIfReset(stream);
        return false;
    }

    private void closeIfReset(int id) {
        Http2Stream stream = handler.connection().stream(id);
        if (stream != null && stream.isResetSent()) {
            stream.close();
        }
    }
}
