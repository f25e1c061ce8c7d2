package io.dht4j.spi;

import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Refuses to close on a thread of this library that runs an action of a stage, an observer or a listener. Closing waits
 * for such threads, and would wait for its own caller. A thread of the application may close, also in a callback.
 */
public final class ClosingThread {

    private static final String OWN_THREAD =
            "it runs an action, an observer or a listener, and closing waits for it; close"
                    + " on a thread of the application, for example with thenRunAsync in place of thenRun";

    /** The packages that complete stages and run their actions. */
    private static final String CORE = "io.dht4j.core.";

    /**
     * The packages that run on a thread of this library below the core. Any other frame is taken for code of the
     * application that has called the core, so the handlers of an OpenTelemetry agent in Netty's pipelines and the
     * threads of MicroRaft, which are below callbacks of the core as well, count here.
     */
    private static final List<String> LIBRARIES = List.of(
            "io.dht4j.",
            "java.",
            "jdk.",
            "sun.",
            "io.netty.",
            "io.vertx.",
            "io.grpc.",
            "io.opentelemetry.",
            "io.microraft.",
            "one.nio.");

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
        if (isOwnThread || StackWalker.getInstance().walk(ClosingThread::isCalledBack)) {
            warnings.accept(closing + " was not closed, since close() was called on this thread: " + OWN_THREAD);
            throw new IllegalStateException(closing + " cannot be closed on this thread: " + OWN_THREAD);
        }
    }

    /** Returns whether the core calls back, on a thread where no code of the application has called the core. */
    static boolean isCalledBack(Stream<StackWalker.StackFrame> frames) {
        boolean isCalledBack = false;
        Iterator<StackWalker.StackFrame> callers =
                frames.skip(1).dropWhile(ClosingThread::isCore).iterator();
        while (callers.hasNext()) {
            StackWalker.StackFrame caller = callers.next();
            if (isCore(caller)) {
                // An owner that closes its own resources, such as a store with a client, was checked itself.
                isCalledBack = !caller.getMethodName().equals("close");
            } else if (LIBRARIES.stream().noneMatch(caller.getClassName()::startsWith)) {
                isCalledBack = false;
            }
        }
        return isCalledBack;
    }

    private static boolean isCore(StackWalker.StackFrame frame) {
        return frame.getClassName().startsWith(CORE);
    }
}
