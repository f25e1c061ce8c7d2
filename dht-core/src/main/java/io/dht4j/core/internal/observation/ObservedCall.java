package io.dht4j.core.internal.observation;

import io.dht4j.spi.Observer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The observation of a call in flight, which has begun when this was created. Immutable. */
public final class ObservedCall {

    private final Observer observer;
    private final LongSupplier nanoTime;
    private final Observer.Call call;
    private final long begunNanos;

    ObservedCall(Observer observer, LongSupplier nanoTime, Observer.Call call) {
        this.observer = observer;
        this.nanoTime = nanoTime;
        this.call = call;
        this.begunNanos = nanoTime.getAsLong();
    }

    /**
     * Reports the end of the call, before its caller gets the outcome.
     *
     * @param error the failure, perhaps wrapped; null if the call has succeeded
     */
    public void ended(@Nullable Throwable error) {
        observer.callEnded(call, Observer.Outcome.of(error), Math.max(0, nanoTime.getAsLong() - begunNanos));
    }
}
