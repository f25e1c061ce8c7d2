package io.dht4j.server.client;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** The body of an answer as an array, if it is no longer than a limit. For one answer. */
final class BoundedBody implements BodySubscriber<byte[]> {

    private final BodySubscriber<byte[]> collected = BodySubscribers.ofByteArray();
    private final long limit;
    private long bytes;
    private @Nullable Subscription subscription;
    private boolean over;

    private BoundedBody(long limit) {
        this.limit = limit;
    }

    /**
     * Returns a handler of bodies.
     *
     * @param limit how many bytes they may have; the answer fails with an {@link IOException} that names it otherwise
     */
    static BodyHandler<byte[]> atMost(long limit) {
        return head -> new BoundedBody(limit);
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return collected.getBody();
    }

    @Override
    public void onSubscribe(Subscription begun) {
        subscription = begun;
        collected.onSubscribe(begun);
    }

    @Override
    public void onNext(List<ByteBuffer> part) {
        if (over) {
            return;
        }
        for (ByteBuffer buffer : part) {
            bytes += buffer.remaining();
        }
        if (bytes <= limit) {
            collected.onNext(part);
            return;
        }
        over = true;
        if (subscription != null) {
            subscription.cancel();
        }
        collected.onError(new IOException("the answer is longer than " + limit + " bytes"));
    }

    @Override
    public void onError(Throwable error) {
        if (!over) {
            collected.onError(error);
        }
    }

    @Override
    public void onComplete() {
        if (!over) {
            collected.onComplete();
        }
    }
}
