package io.dht4j.server.log;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.dht4j.PrintableText;

/**
 * The message of a log event as one line, with {@linkplain ShellWords commands} as remedies, {@linkplain PrintableText
 * escaped}. No text of a caller, another node or a library can begin a line of the log or move a terminal's cursor.
 * Safe for use by any number of threads.
 */
public final class PrintableMessage extends ClassicConverter {

    /** Creates a converter; called by Logback for the configuration that names it. */
    public PrintableMessage() {}

    @Override
    public String convert(ILoggingEvent event) {
        return PrintableText.of(ShellWords.of(event.getFormattedMessage()));
    }
}
