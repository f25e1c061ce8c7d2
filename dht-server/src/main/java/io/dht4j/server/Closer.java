package io.dht4j.server;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes resources in the opposite order of their opening. For one thread at a time. */
final class Closer implements AutoCloseable {

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    /** Adds an open resource, which {@link #close} closes. */
    <T extends AutoCloseable> T add(T resource) {
        resources.push(resource);
        return resource;
    }

    /**
     * Closes every resource, the last one first, also when one fails. A second call does nothing.
     *
     * @throws RuntimeException the first failure, with the others suppressed
     */
    @Override
    public void close() {
        RuntimeException failure = null;
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
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

    /** Closes every resource because of a failure, which receives the failures of closing as suppressed ones. */
    void closeAfter(Throwable failure) {
        try {
            close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
