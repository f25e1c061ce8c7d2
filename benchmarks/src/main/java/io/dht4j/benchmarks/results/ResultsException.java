package io.dht4j.benchmarks.results;

/** Reading results failed. The message names the file and the reason, for people. */
public final class ResultsException extends Exception {

    private static final long serialVersionUID = 1;

    ResultsException(String message) {
        super(message);
    }
}
