package io.dht4j.server.log;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import io.dht4j.PrintableText;

/**
 * The stack trace of a log event, with {@linkplain ShellWords commands} as remedies, {@linkplain PrintableText escaped}
 * except for its line breaks. Safe for use by any number of threads.
 */
public final class PrintableStackTrace extends ThrowableProxyConverter {

    /** Creates a converter; called by Logback for the configuration that names it. */
    public PrintableStackTrace() {}

    @Override
    protected String throwableProxyToString(IThrowableProxy thrown) {
        return PrintableText.lines(ShellWords.of(super.throwableProxyToString(thrown)));
    }
}
