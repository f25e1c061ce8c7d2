package io.dht4j.server.log;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import io.dht4j.PrintableText;

/**
 * The stack trace of a log event, {@linkplain PrintableText escaped} but for its lines. Safe for use by any number of
 * threads.
 */
public final class PrintableStackTrace extends ThrowableProxyConverter {

    /** Made by Logback, for the configuration that names it. */
    public PrintableStackTrace() {}

    @Override
    protected String throwableProxyToString(IThrowableProxy thrown) {
        return PrintableText.lines(super.throwableProxyToString(thrown));
    }
}
