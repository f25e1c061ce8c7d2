package io.dht4j.transport.http.clients;

import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerBody;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.PeerReply;
import io.vertx.core.http.HttpHeaders;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Bodies of {@code java.net.http} requests and responses. Frames are sent without a copy, and received after a check of
 * their length.
 */
final class JdkFrames {

    private static final String CONTENT_LENGTH = HttpHeaders.CONTENT_LENGTH.toString();

    private JdkFrames() {}

    /** Returns a subscriber that reads the answer to a call, and ends the call with it. */
    static BodySubscriber<Void> subscriber(PeerCall call, ResponseInfo info, int maxFrameBytes) {
        int length =
                info.headers().firstValue(CONTENT_LENGTH).map(PeerBody::length).orElse(-1);
        if (length < 0 || length > maxFrameBytes) {
            String why = PeerReply.unusable(info.statusCode(), length, maxFrameBytes);
            call.abandon(why);
            return new Refusal(why);
        }
        return new Reader(call, info, length);
    }

    /** A frame as a request's body, in its two parts. */
    static final class Publisher implements BodyPublisher {

        private final Frame frame;

        Publisher(Frame frame) {
            this.frame = frame;
        }

        /** Returns the parts without empty ones, which stall the client where there is TLS. */
        private List<byte[]> parts() {
            return frame.head().length == 0 || frame.body().length == 0
                    ? List.of(frame.toBytes())
                    : List.of(frame.head(), frame.body());
        }

        @Override
        public long contentLength() {
            return frame.length();
        }

        @Override
        public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
            subscriber.onSubscribe(new Flow.Subscription() {
                private final Queue<byte[]> left = new ArrayDeque<>(parts());
                private boolean emitting;
                private long wanted;

                @Override
                public void request(long n) {
                    wanted = n > Long.MAX_VALUE - wanted ? Long.MAX_VALUE : wanted + n;
                    if (emitting) {
                        return;
                    }
                    emitting = true;
                    while (wanted > 0 && !left.isEmpty()) {
                        wanted--;
                        byte[] part = left.remove();
                        boolean last = left.isEmpty();
                        subscriber.onNext(ByteBuffer.wrap(part).asReadOnlyBuffer());
                        if (last) {
                            subscriber.onComplete();
                        }
                    }
                    emitting = false;
                }

                @Override
                public void cancel() {
                    left.clear();
                }
            });
        }
    }

    /** Collects a body of declared length. */
    private static final class Reader implements BodySubscriber<Void> {

        private final PeerCall call;
        private final ResponseInfo info;
        private final PeerBody body;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private Flow.@Nullable Subscription subscription;

        Reader(PeerCall call, ResponseInfo info, int length) {
            this.call = call;
            this.info = info;
            this.body = new PeerBody(length);
        }

        @Override
        public CompletionStage<Void> getBody() {
            return done;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> chunks) {
            if (done.isDone()) {
                return;
            }
            try {
                chunks.forEach(body::add);
            } catch (OutOfMemoryError e) {
                body.take();
                call.abandon(PeerReply.NO_MEMORY);
                if (subscription != null) {
                    subscription.cancel();
                }
                done.completeExceptionally(e);
            }
        }

        @Override
        public void onError(Throwable error) {
            done.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            if (done.isDone()) {
                return;
            }
            if (body.isComplete()) {
                String outcome =
                        info.headers().firstValue(PeerProtocol.OUTCOME_HEADER).orElse(null);
                PeerReply.finish(call, info.statusCode(), outcome, body.take());
            } else {
                call.abandon("the reply ended early");
            }
            done.complete(null);
        }
    }

    /** Drops an answer unread. */
    private static final class Refusal implements BodySubscriber<Void> {

        private final String why;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Refusal(String why) {
            this.why = why;
        }

        @Override
        public CompletionStage<Void> getBody() {
            return done;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.cancel();
            done.completeExceptionally(new IllegalStateException(why));
        }

        @Override
        public void onNext(List<ByteBuffer> chunks) {
            // Cancelled: later bytes are dropped.
        }

        @Override
        public void onError(Throwable error) {
            done.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            done.completeExceptionally(new IllegalStateException(why));
        }
    }
}
