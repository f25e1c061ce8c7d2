package io.dht4j.core.internal.coordinator.write;

import io.dht4j.DhtException;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.coordinator.quorum.InternalErrors;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.snapshot.Snapshots;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The future of a write that its caller gets. The outcome first ends the write's admission, so that the caller's next
 * call can use the released capacity. One future for all of this costs less than a stage for each.
 *
 * <p>A caller that completes the future itself does not affect the write. Safe for use by any number of threads.
 */
public final class WriteResult extends CompletableFuture<Version> {

    private static final Logger LOG = LoggerFactory.getLogger(WriteResult.class);

    private static final AtomicReferenceFieldUpdater<WriteResult, Snapshots.@Nullable Write> IN_FLIGHT =
            AtomicReferenceFieldUpdater.newUpdater(WriteResult.class, Snapshots.Write.class, "inFlight");

    private final Admission admission;
    private final long bytes;
    private final @Nullable ObservedCall observed;
    /** Null before the admission, and once the outcome is known; read by the updater alone. */
    @SuppressWarnings("UnusedVariable")
    private volatile Snapshots.@Nullable Write inFlight;

    /**
     * Creates the future of a write.
     *
     * @param admission admits the write
     * @param bytes the bytes of the write
     * @param observed the observation of the write, which ends with the outcome; null without an observer
     */
    public WriteResult(Admission admission, long bytes, @Nullable ObservedCall observed) {
        this.admission = admission;
        this.bytes = bytes;
        this.observed = observed;
    }

    /**
     * Admits the write, and makes later snapshots wait for its outcome. Called once, before it gets its version.
     *
     * @param snapshots the snapshots of this node
     * @return false if the write is refused, and has failed
     */
    public boolean begin(Snapshots snapshots) {
        try {
            admission.enter(bytes);
        } catch (DhtException e) {
            end(e);
            return false;
        }
        inFlight = snapshots.writeBegins();
        return true;
    }

    /**
     * Returns the observation of the write.
     *
     * @return null without an observer
     */
    public @Nullable ObservedCall call() {
        return observed;
    }

    /**
     * Reports that the write is acknowledged. Does nothing if the outcome is known.
     *
     * @param version the version of the entries
     */
    public void succeed(Version version) {
        if (leave()) {
            try {
                observe(null);
            } finally {
                admission.complete(() -> complete(version));
            }
        }
    }

    /**
     * Reports that the write has failed. Does nothing if the outcome is known.
     *
     * @param error a {@link DhtException}, perhaps wrapped; the caller gets any other as an internal error
     */
    public void fail(Throwable error) {
        if (leave()) {
            Throwable reported = error;
            try {
                reported = failure(error);
            } finally {
                // Also if there is no memory for the internal error.
                end(reported);
            }
        }
    }

    /** Ends the admission. Returns false if the outcome was known. */
    private boolean leave() {
        Snapshots.Write write = IN_FLIGHT.getAndSet(this, null);
        if (write == null) {
            return false;
        }
        write.ended();
        admission.leave(bytes);
        return true;
    }

    private void end(Throwable error) {
        try {
            observe(error);
        } finally {
            admission.complete(() -> completeExceptionally(error));
        }
    }

    private void observe(@Nullable Throwable error) {
        if (observed != null) {
            observed.ended(error);
        }
    }

    private static DhtException failure(Throwable error) {
        Throwable cause = DhtException.unwrap(error);
        if (cause instanceof DhtException expected) {
            return expected;
        }
        LOG.error("a write failed in an unexpected way", cause);
        return InternalErrors.of(cause);
    }
}
