package io.dht4j.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Passes one event of each logger and level in ten seconds, by the time stamps of the events. A stranger may make
 * libraries log for each connection. Safe for use by any number of threads.
 */
public final class OneInAWhile extends Filter<ILoggingEvent> {

    private static final long PAUSE_MILLIS = TimeUnit.SECONDS.toMillis(10);

    /** The time of the last event that has passed: as many as a library has classes, of a few levels each. */
    private final Map<Source, Long> passed = new ConcurrentHashMap<>();

    /** Events that limit each other. A warning must not hide an error. */
    private record Source(String logger, int level) {}

    /** Creates a filter; called by Logback for the configuration that names it. */
    public OneInAWhile() {}

    @Override
    public FilterReply decide(ILoggingEvent event) {
        long now = event.getTimeStamp();
        boolean[] passes = {false};
        passed.compute(new Source(event.getLoggerName(), event.getLevel().toInt()), (source, last) -> {
            // A clock that was set back must not silence a logger.
            passes[0] = last == null || now - last >= PAUSE_MILLIS || now < last;
            return passes[0] ? Long.valueOf(now) : last;
        });
        return passes[0] ? FilterReply.NEUTRAL : FilterReply.DENY;
    }
}
