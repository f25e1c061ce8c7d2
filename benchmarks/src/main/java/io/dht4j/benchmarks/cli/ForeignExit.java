package io.dht4j.benchmarks.cli;

import io.dht4j.server.cli.console.Console;
import java.util.Optional;

/**
 * Turns an exit by measured code into a failure: else a run that such code ends would pass with its status, perhaps 0.
 * Thread-safe.
 */
final class ForeignExit {

    private final Console console;
    private volatile boolean isOver;

    private ForeignExit(Console console) {
        this.console = console;
    }

    /** Begins to watch this process. */
    static ForeignExit watch(Console console) {
        ForeignExit watch = new ForeignExit(console);
        Runtime.getRuntime().addShutdownHook(new Thread(watch::shutDown, "foreign exit"));
        return watch;
    }

    /** Ends the watch: the command is over, and this program ends itself. */
    void over() {
        isOver = true;
    }

    private void shutDown() {
        Optional<StackTraceElement> caller = isOver ? Optional.empty() : caller();
        if (caller.isPresent()) { // else a signal
            StackTraceElement at = caller.get();
            console.report("dht bench: ended early: " + at.getClassName() + "." + at.getMethodName()
                    + " called System.exit; the code that is measured must leave the process alone");
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            Runtime.getRuntime().halt(1);
        }
    }

    /** Returns who called for the exit. The JVM's handling of signals calls neither of these methods. */
    private static Optional<StackTraceElement> caller() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(stack -> caller(stack).stream())
                .findAny();
    }

    private static Optional<StackTraceElement> caller(StackTraceElement[] stack) {
        boolean isExit = false;
        for (StackTraceElement frame : stack) {
            boolean isOfSystem = frame.getClassName().equals(System.class.getName())
                    || frame.getClassName().equals(Runtime.class.getName());
            if (isExit && !isOfSystem) {
                return Optional.of(frame);
            }
            isExit |= isOfSystem && frame.getMethodName().equals("exit");
        }
        return Optional.empty();
    }
}
