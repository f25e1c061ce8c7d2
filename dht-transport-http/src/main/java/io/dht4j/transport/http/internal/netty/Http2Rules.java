package io.dht4j.transport.http.internal.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * A rule of RFC 9113 that the wrapped server does not enforce: a request names its host once. Like other malformed
 * requests of HTTP/2, one with more {@code Host} fields has its stream reset. The server drops these fields, so that
 * its handlers cannot count them. Belongs to the connection's event loop.
 */
final class Http2Rules extends Http2FrameListenerDecorator {

    private Http2Rules(Http2FrameListener listener) {
        super(listener);
    }

    /** Enforces the rule for the requests that come from now on. */
    static void install(Http2ConnectionHandler handler) {
        handler.decoder().frameListener(new Http2Rules(handler.decoder().frameListener()));
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int stream, Http2Headers headers, int padding, boolean ends)
            throws Http2Exception {
        requireOneHost(stream, headers);
        super.onHeadersRead(ctx, stream, headers, padding, ends);
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
        requireOneHost(stream, headers);
        super.onHeadersRead(ctx, stream, headers, dependency, weight, exclusive, padding, ends);
    }

    private static void requireOneHost(int stream, Http2Headers headers) throws Http2Exception {
        int hosts = headers.getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1) {
            throw Http2Exception.streamError(
                    stream, Http2Error.PROTOCOL_ERROR, "Host must stand once at most, not %d times", hosts);
        }
    }
}
