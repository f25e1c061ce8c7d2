package io.dht4j.core.internal.observation;

import io.dht4j.spi.Environment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what a plug-in throws against its contract, every ten seconds at most, since a failing one throws with every
 * call. Does not block; safe for use by any number of threads.
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
     * @param plugIn what throws
     * @param consequence what follows from that, for people
     */
    public LimitedWarning(Environment environment, String plugIn, String consequence) {
        this.interval = new LogInterval(environment::nanoTime);
        this.plugIn = plugIn;
        this.consequence = consequence;
    }

    /**
     * Logs a throwable, unless another one was logged lately. Throws nothing.
     *
     * @param thrown what the plug-in has thrown
     */
    public void log(Throwable thrown) {
        if (interval.begin()) {
            try {
                LOG.warn("the {} threw an exception against its contract; {}", plugIn, consequence, thrown);
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
