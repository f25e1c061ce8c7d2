package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.StoreException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the replies of a store, and converts its failures to replies, which it logs. Throws nothing; safe for use by
 * any number of threads.
 */
final class StoreReplies {

    private static final Logger LOG = LoggerFactory.getLogger(StoreReplies.class);

    private final String storeName;
    private final LongAdder dropped = new LongAdder();
    private final LogLimit storeFailures;
    private final LogLimit replyFailures;
    private volatile boolean isAbandoned;

    StoreReplies(String storeName, LongSupplier nanoTime) {
        this.storeName = storeName;
        this.storeFailures = new LogLimit(nanoTime);
        this.replyFailures = new LogLimit(nanoTime);
    }

    /** Expects failures of the store, which the node closes before all requests have ended. */
    void abandon() {
        isAbandoned = true;
    }

    /** Returns the number of requests that were answered as {@link #late} or {@link #waitedTooLong}. */
    long dropped() {
        return dropped.sum();
    }

    Reply late() {
        dropped.increment();
        return Replica.late();
    }

    Reply waitedTooLong() {
        dropped.increment();
        return new Reply.Failed(ErrorCode.OVERLOADED, "overloaded: the request has waited too long for the store");
    }

    /** Returns the reply after an exception of the store. */
    Reply failed(Throwable e) {
        if (e instanceof StoreException && isAbandoned) {
            LOG.debug("store {}: the node closes, and it failed", storeName, e);
            return new Reply.Failed(ErrorCode.STORE_FAILED, "this node is shutting down: " + e.getMessage());
        }
        if (e instanceof StoreException) {
            report(storeFailures, "it failed: " + e.getMessage(), e);
            return new Reply.Failed(ErrorCode.STORE_FAILED, String.valueOf(e.getMessage()));
        }
        // A throwing plug-in must not take the node down, nor leave a caller without an answer.
        return thrown(e);
    }

    /** Returns the reply after an exception that the store throws against its contract. */
    Reply thrown(Throwable e) {
        report(storeFailures, "it threw an exception against its contract: " + e, e);
        return new Reply.Failed(ErrorCode.STORE_FAILED, "the store threw " + e);
    }

    /** Sends a reply. A throwing receiver does not affect other replies. */
    void send(Reply reply, Consumer<Reply> to) {
        try {
            to.accept(reply);
        } catch (RuntimeException | Error e) {
            report(replyFailures, "a reply could not be delivered: " + e, e);
        }
    }

    private void report(LogLimit limit, String what, Throwable error) {
        limit.next()
                .ifPresent(suppressed -> LOG.error(
                        "store {}: {}{}",
                        storeName,
                        what,
                        suppressed == 0 ? "" : "; " + suppressed + " more failures since this was last said"));
        LOG.debug("store {}: {}", storeName, what, error);
    }
}
