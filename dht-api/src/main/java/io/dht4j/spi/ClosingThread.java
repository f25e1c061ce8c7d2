package io.dht4j.spi;

import io.dht4j.LibraryThread;
import java.util.function.Consumer;

/**
 * Refuses to close on a thread of this library that runs an action of a stage, an observer or a listener. Closing waits
 * for such threads, and would wait for its own caller. A thread of the application may close, also in a callback.
 */
public final class ClosingThread {

    private static final String OWN_THREAD =
            "it runs an action, an observer or a listener, and closing waits for it; close"
                    + " on a thread of the application, for example with thenRunAsync in place of thenRun";

    private ClosingThread() {}

    /**
     * Throws if the caller must not close on this thread. Does not block.
     *
     * @param closing the object to close, as the subject of a sentence
     * @param isOwnThread whether this thread is known to be one that closing waits for, such as an event loop
     * @param warnings receives one line if it throws: the stage that fails with the exception is often dropped
     * @throws IllegalStateException if this thread is the library's
     */
    public static void check(String closing, boolean isOwnThread, Consumer<String> warnings) {
        if (isOwnThread || LibraryThread.isCallingBack()) {
            warnings.accept(closing + " was not closed, since close() was called on this thread: " + OWN_THREAD);
            throw new IllegalStateException(closing + " cannot be closed on this thread: " + OWN_THREAD);
        }
    }
}
