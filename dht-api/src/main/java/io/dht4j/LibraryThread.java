package io.dht4j;

import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells whether the current thread is one of this library that calls the application back, in an action of a stage, an
 * observer or a listener. Such a thread must not wait for the library, which may need it to go on. For transports and
 * the core; safe for use by any number of threads.
 */
public final class LibraryThread {

    /** The packages that complete stages and run their actions. */
    private static final List<String> CORE = List.of("io.dht4j.core.", "io.dht4j.client.");

    /** Those that ask, above the core's own frames. */
    private static final List<String> ASKING = List.of(LibraryThread.class.getName(), "io.dht4j.spi.ClosingThread");

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

    private LibraryThread() {}

    /**
     * Returns whether the core calls back, on a thread where no code of the application has called the core. Does not
     * block; looks at the stack, which takes some ten microseconds.
     *
     * @return whether waiting here could wait for this thread itself
     */
    public static boolean isCallingBack() {
        return StackWalker.getInstance().walk(LibraryThread::isCalledBack);
    }

    static boolean isCalledBack(Stream<StackWalker.StackFrame> frames) {
        boolean isCalledBack = false;
        Iterator<StackWalker.StackFrame> callers = frames.dropWhile(frame -> isOf(ASKING, frame) || isOf(CORE, frame))
                .iterator();
        while (callers.hasNext()) {
            StackWalker.StackFrame caller = callers.next();
            if (isOf(CORE, caller)) {
                // An owner that closes its own resources, such as a store with a client, was checked itself.
                isCalledBack = !caller.getMethodName().equals("close");
            } else if (!isOf(LIBRARIES, caller)) {
                isCalledBack = false;
            }
        }
        return isCalledBack;
    }

    private static boolean isOf(List<String> packages, StackWalker.StackFrame frame) {
        return packages.stream().anyMatch(frame.getClassName()::startsWith);
    }
}
