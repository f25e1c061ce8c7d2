package io.dht4j.server.cli;

import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.OutputFailedException;

/**
 * Prints the line that announces that a server serves. It is shown unless the server has failed, and a server logs its
 * failure after it has withheld the line: so the line never follows the failure. Safe for use by any number of threads.
 */
final class ReadyLine {

    private final Console console;
    // Guarded by this.
    private boolean withheld;

    ReadyLine(Console console) {
        this.console = console;
    }

    /**
     * Shows the line, unless it is withheld. Blocks as the output does. A server serves whether or not its output has a
     * reader.
     */
    synchronized void show(String summary) {
        if (withheld) {
            return;
        }
        try {
            console.show("ready " + summary);
            console.out().flush();
        } catch (OutputFailedException e) {
            console.report("dht server: ready, but " + e.getMessage());
            // The later end of the server determines the exit code.
            console.out().doWithout();
        }
    }

    /** Withholds the line from now on. Waits while it is being shown. */
    synchronized void withhold() {
        withheld = true;
    }
}
