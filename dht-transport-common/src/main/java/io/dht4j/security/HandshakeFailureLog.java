package io.dht4j.security;

import io.dht4j.PrintableText;
import io.dht4j.spi.ConnectFailure;
import java.security.cert.X509Certificate;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells an operator of callers that were refused: once for each address and reason, however often it calls. What
 * strangers do bounds neither memory nor log by itself, so this remembers a bounded number of what it told, and tells a
 * bounded number of lines in a minute; of the others, the next line says how many there were.
 *
 * <p>Safe for use by any number of threads.
 */
public final class HandshakeFailureLog {

    /** The oldest is forgotten for the next, and would be told again. */
    static final int REMEMBERED = 256;

    /** More in a minute are only counted. */
    static final int LINES_PER_MINUTE = 20;

    private static final int LONGEST_REASON = 300;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final Consumer<String> warnings;
    private final LongSupplier nanoTime;
    // Guarded by this.
    private final Set<Refusal> told = new LinkedHashSet<>();
    private long minuteBegan;
    private int lines;
    private long untold;

    private record Refusal(String address, String why) {}

    /**
     * Nobody has been refused yet.
     *
     * @param warnings takes a line for the log, on the thread that refuses
     */
    public HandshakeFailureLog(Consumer<String> warnings) {
        this(warnings, System::nanoTime);
    }

    /** With a clock of a test's own. */
    HandshakeFailureLog(Consumer<String> warnings, LongSupplier nanoTime) {
        this.warnings = warnings;
        this.nanoTime = nanoTime;
        this.minuteBegan = nanoTime.getAsLong();
    }

    /**
     * Tells of a caller, unless that was told or too much was told of late. Does not block, but for what
     * {@code warnings} does.
     *
     * @param address the caller's, without its port, which differs for each connection
     * @param why names what the caller has shown and what is wrong with it, without secrets; control characters are
     *     escaped, and what is too long is cut
     */
    public void refused(String address, String why) {
        Refusal refusal = new Refusal(PrintableText.of(address), PrintableText.of(why, LONGEST_REASON));
        long before;
        synchronized (this) {
            if (told.contains(refusal)) {
                return;
            }
            long now = nanoTime.getAsLong();
            if (now - minuteBegan >= MINUTE) {
                minuteBegan = now;
                lines = 0;
            }
            if (lines >= LINES_PER_MINUTE) {
                untold++;
                return;
            }
            lines++;
            remember(refusal);
            before = untold;
            untold = 0;
        }
        String others = before == 0 ? "" : " (and " + before + " times others or for other reasons)";
        warnings.accept("refused " + refusal.address() + ": " + refusal.why() + others);
    }

    private void remember(Refusal refusal) {
        told.add(refusal);
        if (told.size() > REMEMBERED) {
            Iterator<Refusal> oldest = told.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /**
     * Why a certificate that was not trusted was not.
     *
     * @param chain what the caller has presented, its own certificate first
     * @param error what the trust manager found
     * @return the names in the certificate, which prove nothing, and what is wrong with it
     */
    static String untrusted(X509Certificate[] chain, Exception error) {
        String names = chain.length == 0
                ? "there is no certificate"
                : "the certificate names " + new TreeSet<>(Tls.names(chain[0])) + " and is not trusted";
        return names + ": "
                + ConnectFailure.inWords(error)
                        .orElseGet(() ->
                                error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage());
    }
}
