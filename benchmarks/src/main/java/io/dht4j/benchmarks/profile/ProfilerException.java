package io.dht4j.benchmarks.profile;

/** A command of the profiler failed. The message names the command and the reason. */
public final class ProfilerException extends Exception {

    private static final long serialVersionUID = 1;

    ProfilerException(String message, Throwable cause) {
        super(message, cause);
    }

    ProfilerException(String message) {
        super(message);
    }
}
