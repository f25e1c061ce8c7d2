package io.dht4j.lab;

import io.dht4j.PrintableText;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Calls the code of a candidate. Each of its exceptions becomes a {@link CandidateException} that names the class and
 * the method.
 *
 * @param type the candidate's class
 * @param bound of calls that may block
 */
record Guard(Class<?> type, Duration bound) {

    /** The bound of calls that may block. Longer than the start or the close of any measured object. */
    static final Duration BOUND = Duration.ofSeconds(60);

    private static final int LONGEST_QUOTE = 300;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    Guard(Class<?> type) {
        this(type, BOUND);
    }

    /** Calls a method that must not return null, on the caller's thread. */
    <T> T call(String method, Callable<? extends @Nullable T> action) {
        @Nullable T result;
        try {
            result = action.call();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw threw(method, e);
        } catch (Exception | Error e) {
            throw threw(method, e);
        }
        return required(method, result);
    }

    private <T> T required(String method, @Nullable T result) {
        if (result == null) {
            throw new CandidateException(type.getName() + "." + method + " returned null");
        }
        return result;
    }

    /** Calls a method that may block and must not return null, on another thread and up to the bound. */
    <T> T callBounded(String method, Callable<? extends @Nullable T> action) {
        try {
            return required(method, BoundedCall.<@Nullable T>of(bound, action));
        } catch (ExecutionException e) {
            Throwable thrown = e.getCause() == null ? e : e.getCause();
            if (thrown instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw threw(method, thrown);
        } catch (TimeoutException e) {
            throw new CandidateException(type.getName() + "." + method + " " + tooLong(bound), e);
        }
    }

    /** Calls a method without a result that may block, as {@link #callBounded} does. */
    void runBounded(String method, Runnable action) {
        callBounded(method, () -> {
            action.run();
            return true;
        });
    }

    /** Returns a name that can be typed on a command line. */
    String name(Callable<? extends @Nullable String> action) {
        String name = callBounded("name()", action);
        if (!NAME.matcher(name).matches()) {
            throw new CandidateException(type.getName()
                    + ".name() must return 1 to 32 of the letters a to z, digits and hyphens, a letter first, not \""
                    + PrintableText.of(name, LONGEST_QUOTE) + "\"");
        }
        return name;
    }

    static String tooLong(Duration bound) {
        return "did not return within "
                + BigDecimal.valueOf(bound.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
    }

    CandidateException threw(String method, Throwable thrown) {
        return new CandidateException(type.getName() + "." + method + " threw " + quote(thrown), thrown);
    }

    /** Returns type and message of a throwable. Its own code, which creates the message, may throw too. */
    static String quote(Throwable thrown) {
        String message;
        try {
            message = thrown.getMessage();
        } catch (RuntimeException | Error e) {
            message = null;
        }
        String type = thrown.getClass().getName();
        return message == null ? type : type + ": " + PrintableText.of(message, LONGEST_QUOTE);
    }
}
