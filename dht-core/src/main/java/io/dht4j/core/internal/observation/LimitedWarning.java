package io.dht4j.core.internal.observation;

import io.dht4j.spi.Environment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what a plug-in throws against its contract, every ten seconds at most, since a failing one throws with every
 * call. Does not block; safe for use by any number of threads.
 */
final class LimitedWarning {

    private static final Logger LOG = LoggerFactory.getLogger(LimitedWarning.class);
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Environment environment;
    private final String plugIn;
    private final AtomicLong loggedNanos;

    LimitedWarning(Environment environment, String plugIn) {
        this.environment = environment;
        this.plugIn = plugIn;
        this.loggedNanos = new AtomicLong(environment.nanoTime() - LOG_NANOS);
    }

    void log(Throwable thrown) {
        long logged = loggedNanos.get();
        long now = environment.nanoTime();
        if (now - logged >= LOG_NANOS && loggedNanos.compareAndSet(logged, now)) {
            try {
                LOG.warn("the {} threw an exception against its contract; what it shows is incomplete", plugIn, thrown);
            } catch (Throwable unlogged) {
                // For example since the exception throws when it is asked for its message. The call goes on.
                LOG.warn(
                        "the {} threw an exception against its contract, which cannot be logged: {}",
                        plugIn,
                        thrown.getClass());
            }
        }
    }
}
