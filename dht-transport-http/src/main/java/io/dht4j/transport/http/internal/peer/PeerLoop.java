package io.dht4j.transport.http.internal.peer;

import io.vertx.core.Context;

/**
 * An event loop of a transport.
 *
 * @param context runs tasks on it
 * @param thread its only thread
 */
public record PeerLoop(Context context, Thread thread) {

    /** Returns whether the caller runs on this loop. */
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }
}
