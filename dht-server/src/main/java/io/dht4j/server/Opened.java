package io.dht4j.server;

import java.util.ArrayDeque;
import java.util.Deque;

/** The parts opened so far, to be closed in the opposite order. For one thread at a time. */
final class Opened implements AutoCloseable {

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** Adds a part, which {@link #close} closes. */
    <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        return part;
    }

    /**
     * Closes every part, the last one first, also when one fails. A second call does nothing.
     *
     * @throws RuntimeException the first failure, with the others suppressed
     */
    @Override
    public void close() {
        RuntimeException failure = null;
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = e instanceof RuntimeException same ? same : new IllegalStateException(e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Closes every part because of a failure, which receives the failures of closing as suppressed ones. */
    void closeAfter(Throwable failure) {
        try {
            close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
