package io.dht4j.benchmarks.load.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.util.Optional;

/** A connection with one call at a time. Confined to its event loop. */
final class HttpConnection extends SimpleChannelInboundHandler<HttpObject> {

    /** A problem document is shorter; the rest of any other body is dropped. */
    private static final int MOST_OF_PROBLEM = 16 * 1024;

    private final HttpConnections owner;
    private final Channel channel;
    private final ByteArrayOutputStream problem = new ByteArrayOutputStream();
    private Optional<HttpCall> call = Optional.empty();
    private int status;
    private boolean staysOpen;
    private boolean hasBody;

    HttpConnection(HttpConnections owner, Channel channel) {
        this.owner = owner;
        this.channel = channel;
    }

    /** Sends a call. */
    void begin(HttpCall next) {
        call = Optional.of(next);
        channel.writeAndFlush(next.request()).addListener(sent -> {
            if (!sent.isSuccess()) {
                next.failBy(sent.cause());
                close();
            }
        });
    }

    /** Returns the call in flight. */
    Optional<HttpCall> call() {
        return call;
    }

    /** Returns whether another call may use it. */
    boolean isOpen() {
        return channel.isActive();
    }

    /** Closes it, the only way to cancel a request that was sent. It is never free again. */
    void close() {
        owner.closed(this);
        channel.close();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
        if (part.decoderResult().isFailure()) {
            Throwable cause = part.decoderResult().cause();
            call.ifPresent(open -> open.failBy(cause));
            close();
            return;
        }
        if (part instanceof HttpResponse head) {
            status = head.status().code();
            staysOpen = HttpUtil.isKeepAlive(head);
            problem.reset();
            hasBody = false;
        }
        if (part instanceof HttpContent content) {
            hasBody |= content.content().isReadable();
            keepProblem(content.content());
            if (part instanceof LastHttpContent) {
                ended();
            }
        }
    }

    private void keepProblem(ByteBuf body) {
        if (call.isPresent() && !call.get().isExpected(status)) {
            int length = Math.min(body.readableBytes(), MOST_OF_PROBLEM - problem.size());
            problem.writeBytes(ByteBufUtil.getBytes(body, body.readerIndex(), length));
        }
    }

    private void ended() {
        Optional<HttpCall> answered = call;
        call = Optional.empty();
        try {
            // The release precedes the result, so that the next call finds the connection free. It is omitted if the
            // connection is about to end, or if the answer has no call.
            if (staysOpen && isOpen() && answered.isPresent()) {
                owner.released(this);
            } else {
                close();
            }
        } finally {
            answered.ifPresent(open -> open.answered(status, problem.toByteArray(), hasBody));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        call.ifPresent(HttpCall::disconnected);
        call = Optional.empty();
        owner.closed(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        call.ifPresent(open -> open.failBy(cause));
        close();
    }
}
