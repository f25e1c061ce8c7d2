package io.dht4j.core.internal.observation;

import io.dht4j.spi.Environment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs exceptions that a plug-in throws against its contract, every ten seconds at most, since a failing one throws
 * with every call. Does not block; safe for use by any number of threads.
 */
public final class LimitedWarning {

    private static final Logger LOG = LoggerFactory.getLogger(LimitedWarning.class);

    private final LogInterval interval;
    private final String plugIn;
    private final String consequence;

    /**
     * Creates a log without lines.
     *
     * @param environment the clock
     * @param plugIn the plug-in, for people
     * @param consequence the consequence, for people
     */
    public LimitedWarning(Environment environment, String plugIn, String consequence) {
        this.interval = new LogInterval(environment::nanoTime);
        this.plugIn = plugIn;
        this.consequence = consequence;
    }

    /**
     * Logs a throwable, unless another one was logged recently. Throws nothing.
     *
     * @param thrown the throwable
     */
    public void log(Throwable thrown) {
        if (interval.begin()) {
            try {
                LOG.warn("the {} threw an exception against its contract; {}", plugIn, consequence, thrown);
            } catch (Throwable unlogged) {
                // For example, getMessage of the exception throws. The call continues.
                LOG.warn(
                        "the {} threw an exception against its contract, which cannot be logged: {}",
                        plugIn,
                        thrown.getClass());
            }
        }
    }
}
