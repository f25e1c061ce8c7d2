package io.dht4j.lab;

import io.dht4j.PrintableText;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Calls the code of a candidate. Whatever it throws becomes a {@link CandidateException} that names the class and the
 * method.
 *
 * @param type the candidate's class
 */
record Guard(Class<?> type) {

    private static final int LONGEST_QUOTE = 300;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    /** Calls a method that must not return null. */
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
        if (result == null) {
            throw new CandidateException(type.getName() + "." + method + " returned null");
        }
        return result;
    }

    /** Calls a method without a result. */
    void run(String method, Runnable action) {
        call(method, () -> {
            action.run();
            return true;
        });
    }

    /** Returns a name that can be typed on a command line. */
    String name(Callable<? extends @Nullable String> action) {
        String name = call("name()", action);
        if (!NAME.matcher(name).matches()) {
            throw new CandidateException(type.getName()
                    + ".name() must return 1 to 32 of the letters a to z, digits and hyphens, a letter first, not \""
                    + PrintableText.of(name, LONGEST_QUOTE) + "\"");
        }
        return name;
    }

    CandidateException threw(String method, Throwable thrown) {
        return new CandidateException(type.getName() + "." + method + " threw " + quote(thrown), thrown);
    }

    /** Returns type and message of something thrown. Its own code, which makes the message, may throw too. */
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
