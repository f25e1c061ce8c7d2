package io.dht4j.server.log;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import io.dht4j.PrintableText;

/**
 * The message of a library's log event, with its exception and the place that threw it, as one line. Safe for use by
 * any number of threads.
 */
public final class LibraryMessage extends ClassicConverter {

    /** Creates a converter; called by Logback for the configuration that names it. */
    public LibraryMessage() {}

    @Override
    public String convert(ILoggingEvent event) {
        IThrowableProxy thrown = event.getThrowableProxy();
        return PrintableText.of(event.getFormattedMessage() + (thrown == null ? "" : ": " + inWords(thrown)));
    }

    private static String inWords(IThrowableProxy thrown) {
        StackTraceElementProxy[] trace = thrown.getStackTraceElementProxyArray();
        String what = thrown.getClassName() + (thrown.getMessage() == null ? "" : ": " + thrown.getMessage());
        return trace.length == 0 ? what : what + " (" + trace[0].getSTEAsString() + ")";
    }
}
