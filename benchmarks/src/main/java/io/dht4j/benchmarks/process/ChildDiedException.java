package io.dht4j.benchmarks.process;

import java.util.List;

/** A child has ended unexpectedly. */
public final class ChildDiedException extends ChildException {

    private static final long serialVersionUID = 1;
    private static final int SIGNALLED = 128;

    private final int exitCode;
    private final transient List<String> lastLines;

    ChildDiedException(String name, int exitCode, List<String> lastLines) {
        super(name + " has ended with exit code " + exitCode
                + (exitCode > SIGNALLED ? " (signal " + (exitCode - SIGNALLED) + ")" : "")
                + (lastLines.isEmpty()
                        ? "; it logged nothing"
                        : "; its last log lines:\n  " + String.join("\n  ", lastLines)));
        this.exitCode = exitCode;
        this.lastLines = List.copyOf(lastLines);
    }

    /**
     * Returns its exit status.
     *
     * @return 128 and the number of the signal if a signal ended it
     */
    public int exitCode() {
        return exitCode;
    }

    /**
     * Returns the end of its log.
     *
     * @return the last lines, the newest last
     */
    public List<String> lastLines() {
        return lastLines == null ? List.of() : lastLines;
    }
}
