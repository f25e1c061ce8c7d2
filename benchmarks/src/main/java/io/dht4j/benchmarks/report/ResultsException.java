package io.dht4j.benchmarks.report;

/** Results that cannot be read. The message says, for people, which file and why. */
public final class ResultsException extends Exception {

    private static final long serialVersionUID = 1;

    ResultsException(String message) {
        super(message);
    }
}
