package io.dht4j.benchmarks.profile;

/** The profiler cannot do what it was asked to; the message says what and why. */
public final class ProfilerException extends Exception {

    private static final long serialVersionUID = 1;

    ProfilerException(String message, Throwable cause) {
        super(message, cause);
    }

    ProfilerException(String message) {
        super(message);
    }
}
