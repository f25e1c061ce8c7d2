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
 * Logs refused callers for the operator: once for each address and reason, regardless of the number of attempts.
 * Callers are untrusted, so memory and log output are bounded: the log remembers a bounded number of refusals and
 * writes a bounded number of lines per minute. The next line contains the number of omitted ones.
 *
 * <p>Safe for use by any number of threads.
 */
public final class HandshakeFailureLog {

    /** The number of remembered refusals. The oldest is evicted, and would be logged again. */
    static final int REMEMBERED = 256;

    /** The largest number of lines per minute; further refusals are only counted. */
    static final int LINES_PER_MINUTE = 20;

    private static final int LONGEST_REASON = 300;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final Consumer<String> warnings;
    private final LongSupplier nanoTime;
    // Guarded by this.
    private final Set<Refusal> reported = new LinkedHashSet<>();
    private long minuteBegan;
    private int lines;
    private long suppressed;

    private record Refusal(String address, String why) {}

    /**
     * Creates a log without refusals.
     *
     * @param warnings takes a line for the log, on the refusing thread
     */
    public HandshakeFailureLog(Consumer<String> warnings) {
        this(warnings, System::nanoTime);
    }

    /** Creates a log with the clock of a test. */
    HandshakeFailureLog(Consumer<String> warnings, LongSupplier nanoTime) {
        this.warnings = warnings;
        this.nanoTime = nanoTime;
        this.minuteBegan = nanoTime.getAsLong();
    }

    /**
     * Logs a refused caller, unless the refusal has been logged or the limit is reached. Does not block, unless
     * {@code warnings} does.
     *
     * @param address the caller's address without its port, which differs for each connection
     * @param why the caller's credentials and their defect, without secrets; control characters are escaped, and long
     *     text is truncated
     */
    public void refused(String address, String why) {
        Refusal refusal = new Refusal(PrintableText.of(address), PrintableText.of(why, LONGEST_REASON));
        long before;
        synchronized (this) {
            if (reported.contains(refusal)) {
                return;
            }
            long now = nanoTime.getAsLong();
            if (now - minuteBegan >= MINUTE) {
                minuteBegan = now;
                lines = 0;
            }
            if (lines >= LINES_PER_MINUTE) {
                suppressed++;
                return;
            }
            lines++;
            remember(refusal);
            before = suppressed;
            suppressed = 0;
        }
        String others = before == 0 ? "" : " (and " + before + " times others or for other reasons)";
        warnings.accept("refused " + refusal.address() + ": " + refusal.why() + others);
    }

    private void remember(Refusal refusal) {
        reported.add(refusal);
        if (reported.size() > REMEMBERED) {
            Iterator<Refusal> oldest = reported.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /**
     * Describes why a certificate is untrusted.
     *
     * @param chain the caller's certificates, its own first
     * @param error the error of the trust manager
     * @return the names in the certificate, which are unproven, and the defect
     */
    static String untrusted(X509Certificate[] chain, Exception error) {
        String names = chain.length == 0
                ? "there is no certificate"
                : "the certificate names " + new TreeSet<>(Tls.names(chain[0])) + " and is not trusted";
        return names + ": " + ConnectFailure.inWords(error).orElseGet(() -> ConnectFailure.message(error));
    }
}
