package io.dht4j.transport.http.internal.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rules of RFC 9110 and RFC 9112 that the wrapped server does not enforce. A request of HTTP/1.1 names its host once.
 * An unknown version, expectation or transfer coding is refused, as are trailers that are too long. A refused request
 * is answered in order, all later bytes are dropped, and the connection ends: with doubtful framing, the rest must not
 * be parsed as requests.
 *
 * <p>A request with a body does not change the protocol. The server would parse the bytes of the body as frames, and a
 * client that waits for permission to send it would wait forever. Neither does a request with an incomplete offer of
 * HTTP/2: the server would refuse it without a reason, and RFC 9110 allows ignoring the offer. Belongs to the
 * connection's event loop.
 */
final class HttpRequestValidator extends ChannelDuplexHandler {

    /** The time in which a client may continue to send after its answer, so that it sees the answer and not a reset. */
    private static final long LINGER_SECONDS = 2;

    private static final String CHUNKED = "chunked";
    private static final String UPGRADE = "upgrade";
    private static final String SETTINGS = "http2-settings";

    /** The status for a version of HTTP that this node does not speak. */
    static final int OTHER_VERSION = 505;

    static final String VERSIONS = "the version must be HTTP/1.0, HTTP/1.1 or HTTP/2";

    private final AcceptedConnection connection;
    private final Refusals refusals;
    private boolean sawMessage;
    private boolean inMessage;
    private boolean isUpgraded;
    private int unanswered;
    private boolean answerBegun;
    private @Nullable Refusal refusal;
    private boolean refused;
    private boolean refusedBodyComes;

    HttpRequestValidator(AcceptedConnection connection, Refusals refusals) {
        this.connection = connection;
        this.refusals = refusals;
    }

    private record Refusal(int status, String detail) {}

    /** Notes that bytes are about to be decoded. */
    void beginRead() {
        sawMessage = false;
    }

    /** Returns whether the decoded bytes were a part of a head, without its end. */
    boolean endedReadWithinHead() {
        return !sawMessage && !inMessage && !isUpgraded && refusal == null;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        sawMessage = true;
        if (isUpgraded) {
            ctx.fireChannelRead(message);
            return;
        }
        if (refusal != null) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof HttpRequest request) {
            inMessage = true;
            connection.headCame();
            // The server itself answers bytes that are not HTTP; the decoder fails for some transfer codings, too.
            Refusal found =
                    request.decoderResult().isSuccess() ? refusal(request) : codingRefusal(request.headers(), false);
            if (found != null) {
                refusedBodyComes = hasBody(request.headers());
                ReferenceCountUtil.release(message);
                refuse(ctx, found);
                return;
            }
            keepProtocolOfBody(request.headers());
            unanswered++;
        } else if (message instanceof HttpContent content
                && content.decoderResult().isFailure()) {
            boolean isTrailer = content.decoderResult().cause() instanceof TooLongHttpHeaderException;
            ReferenceCountUtil.release(message);
            refuseBody(ctx, isTrailer ? "the trailers are too long" : "the chunks of the body are malformed");
            return;
        }
        if (message instanceof LastHttpContent) {
            inMessage = false;
        }
        ctx.fireChannelRead(message);
    }

    private static @Nullable Refusal refusal(HttpRequest request) {
        HttpHeaders headers = request.headers();
        HttpVersion version = request.protocolVersion();
        boolean isOld = version.equals(HttpVersion.HTTP_1_0);
        if (!isOld && !version.equals(HttpVersion.HTTP_1_1)) {
            return new Refusal(OTHER_VERSION, VERSIONS);
        }
        int hosts = count(headers, HttpHeaderNames.HOST);
        if (hosts > 1 || (hosts == 0 && !isOld)) {
            return new Refusal(400, "Host must stand once, not " + hosts + " times");
        }
        Refusal coding = codingRefusal(headers, isOld);
        if (coding != null) {
            return coding;
        }
        int expectations = isOld ? 0 : count(headers, HttpHeaderNames.EXPECT);
        if (expectations > 1
                || (expectations == 1
                        && !HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(
                                headers.get(HttpHeaderNames.EXPECT).strip()))) {
            return new Refusal(417, "the only expectation that this node can meet is 100-continue");
        }
        return null;
    }

    private static @Nullable Refusal codingRefusal(HttpHeaders headers, boolean isOld) {
        if (!headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            return null;
        }
        int chunked = 0;
        for (String value : headers.getAll(HttpHeaderNames.TRANSFER_ENCODING)) {
            for (String coding : value.split(",", -1)) {
                if (!coding.strip().equalsIgnoreCase(CHUNKED)) {
                    return new Refusal(501, "the only transfer coding that this node knows is chunked");
                }
                chunked++;
            }
        }
        return isOld || chunked > 1 ? new Refusal(400, "chunked may be applied once, and in HTTP/1.1 only") : null;
    }

    private static int count(HttpHeaders headers, CharSequence name) {
        if (!headers.contains(name)) {
            return 0;
        }
        int count = 0;
        // The server's headers would make a list of the values of a name.
        for (Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence(); all.hasNext(); ) {
            if (AsciiString.contentEqualsIgnoreCase(name, all.next().getKey())) {
                count++;
            }
        }
        return count;
    }

    private static void keepProtocolOfBody(HttpHeaders headers) {
        if (!headers.contains(HttpHeaderNames.UPGRADE)) {
            return;
        }
        if (headers.contains(HttpHeaderNames.EXPECT) || hasBody(headers) || !offersHttp2(headers)) {
            headers.remove(HttpHeaderNames.UPGRADE);
        }
    }

    /** Returns whether the headers are a complete offer by RFC 7540: with the client's settings, once and valid. */
    private static boolean offersHttp2(HttpHeaders headers) {
        if (count(headers, HttpHeaderNames.CONNECTION) != 1
                || count(headers, Http2CodecUtil.HTTP_UPGRADE_SETTINGS_HEADER) != 1) {
            return false;
        }
        List<String> options = Stream.of(headers.get(HttpHeaderNames.CONNECTION).split(",", -1))
                .map(option -> option.strip().toLowerCase(Locale.ROOT))
                .toList();
        return Collections.frequency(options, UPGRADE) == 1
                && Collections.frequency(options, SETTINGS) == 1
                && areSettings(headers.get(Http2CodecUtil.HTTP_UPGRADE_SETTINGS_HEADER));
    }

    private static boolean areSettings(String text) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            while (bytes.remaining() >= Http2CodecUtil.SETTING_ENTRY_LENGTH) {
                char id = (char) (bytes.getShort() & 0xFFFF);
                long value = Integer.toUnsignedLong(bytes.getInt());
                // Fails for a value that the setting cannot have.
                if (new Http2Settings().put(id, Long.valueOf(value)) != null) {
                    return false;
                }
            }
            return !bytes.hasRemaining();
        } catch (IllegalArgumentException e) {
            // Not Base64, or no such value.
            return false;
        }
    }

    private static boolean hasBody(HttpHeaders headers) {
        String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        return headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
                || (length != null && !length.strip().equals("0"));
    }

    /** Refuses a body that turns out to be malformed while the answer to its request is still to come. */
    private void refuseBody(ChannelHandlerContext ctx, String detail) {
        refusal = new Refusal(400, detail);
        if (unanswered > 1 || answerBegun) {
            // This answer would be taken for another's, or for a part of one.
            ctx.channel().close();
            return;
        }
        unanswered = 0;
        refusedBodyComes = true;
        answer(ctx, refusal);
    }

    private void refuse(ChannelHandlerContext ctx, Refusal found) {
        refusal = found;
        if (unanswered == 0) {
            answer(ctx, found);
        }
    }

    private void answer(ChannelHandlerContext ctx, Refusal found) {
        refused = true;
        byte[] body = refusals.body(found.status(), found.detail());
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(found.status()), Unpooled.wrappedBuffer(body));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, Refusals.CONTENT_TYPE)
                .set(BrowserHeaders.CONTENT_TYPE_OPTIONS, BrowserHeaders.NOSNIFF)
                .set(BrowserHeaders.RESOURCE_POLICY, BrowserHeaders.SAME_ORIGIN)
                .set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length))
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        ChannelFuture sent = ctx.writeAndFlush(response);
        if (!refusedBodyComes) {
            sent.addListener(ChannelFutureListener.CLOSE);
            return;
        }
        ctx.channel().config().setAutoRead(true);
        if (ctx.channel() instanceof DuplexChannel channel && ctx.pipeline().get(SslHandler.class) == null) {
            // The client sees the end of the answer at once; the connection closes when it closes its side.
            sent.addListener(done -> channel.shutdownOutput());
        }
        ctx.channel()
                .eventLoop()
                .schedule(() -> sent.addListener(ChannelFutureListener.CLOSE), LINGER_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (refused) {
            ReferenceCountUtil.release(message);
            promise.tryFailure(new IllegalStateException("the request was refused"));
            return;
        }
        boolean isInterim = false;
        if (message instanceof HttpResponse response) {
            isUpgraded |= response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
            isInterim = response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
            answerBegun |= !isInterim;
        }
        ctx.write(message, promise);
        if (message instanceof LastHttpContent && !isInterim && !isUpgraded) {
            answerBegun = false;
            unanswered--;
            Refusal waiting = refusal;
            if (waiting != null && unanswered == 0) {
                answer(ctx, waiting);
            }
        }
    }
}
