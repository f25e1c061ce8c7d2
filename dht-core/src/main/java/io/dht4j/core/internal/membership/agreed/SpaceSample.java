package io.dht4j.core.internal.membership.agreed;

import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.StoreSpace;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Samples the used and free bytes of a node's store. While it is requested, a sample is at most some seconds old. The
 * store is read on a store thread. Does not block; safe for use by any number of threads.
 */
final class SpaceSample {

    private static final Logger LOG = LoggerFactory.getLogger(SpaceSample.class);

    private static final long VALID_NANOS = Duration.ofSeconds(2).toNanos();

    private final Store store;
    private final Environment environment;
    private volatile Optional<StoreSpace> last = Optional.empty();

    // Guarded by this.
    private boolean taken;
    private boolean underWay;
    private long takenNanos;

    SpaceSample(Store store, Environment environment) {
        this.store = store;
        this.environment = environment;
    }

    /** Returns the last sample, and takes another one in the background if it is old; empty before the first sample. */
    Optional<StoreSpace> get() {
        synchronized (this) {
            if (underWay || (taken && environment.nanoTime() - takenNanos < VALID_NANOS)) {
                return last;
            }
            underWay = true;
        }
        try {
            environment.storeExecutor().execute(this::take);
        } catch (RejectedExecutionException e) {
            LOG.debug("the space of the store is not looked at now: {}", MembershipRequestSender.message(e));
            synchronized (this) {
                underWay = false;
            }
        }
        return last;
    }

    private void take() {
        try {
            last = store.space();
        } catch (StoreException e) {
            LOG.debug("the space of the store is unknown: {}", MembershipRequestSender.message(e));
            last = Optional.empty();
        } finally {
            synchronized (this) {
                underWay = false;
                taken = true;
                takenNanos = environment.nanoTime();
            }
        }
    }
}
