package io.dht4j.spring.boot;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A start that failed for a reason that the user can remove. {@link StartFailureAnalyzer} shows it without a stack
 * trace.
 */
final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    /**
     * Creates a failure.
     *
     * @param message the failure, one line that names the property, its value and the allowed range
     * @param action the remedy
     */
    StartException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** Returns a failure for a property. */
    static StartException of(String property, String message) {
        return new StartException(message, "Change " + property + ".", null);
    }

    /** Returns the remedy. */
    String action() {
        return action;
    }

    /**
     * Reads a property.
     *
     * @param property its name
     * @param value reads and checks it
     * @throws StartException if that throws; the message begins with the property's name
     */
    static <T> T read(String property, Supplier<T> value) {
        try {
            return value.get();
        } catch (StartException e) {
            throw e;
        } catch (RuntimeException e) {
            String message = String.valueOf(e.getMessage());
            throw new StartException(
                    message.startsWith(property) ? message : property + ": " + message, "Change " + property + ".", e);
        }
    }

    /** Checks a property as {@link #read} does. */
    static void check(String property, Runnable check) {
        read(property, () -> {
            check.run();
            return property;
        });
    }
}
