package io.dht4j.testkit;

import java.time.Duration;

/** What a {@link FaultyTransport} does to a call. Immutable. */
public sealed interface Fault {

    /**
     * Nothing: the call goes through.
     *
     * @return the absence of a fault
     */
    static Fault none() {
        return new None();
    }

    /**
     * The request is lost. The caller hears nothing until the deadline, then that the outcome is unknown.
     *
     * @return the fault
     */
    static Fault loseRequest() {
        return new LoseRequest();
    }

    /**
     * The request arrives and is carried out, the reply is lost. The caller hears nothing until the deadline, then that
     * the outcome is unknown.
     *
     * @return the fault
     */
    static Fault loseReply() {
        return new LoseReply();
    }

    /**
     * The request is refused at once as not sent, as by a machine where nothing listens.
     *
     * @return the fault
     */
    static Fault refuse() {
        return new Refuse();
    }

    /**
     * The request arrives and is carried out; instead of the reply the caller gets a failure of unknown outcome, as
     * when the connection breaks.
     *
     * @return the fault
     */
    static Fault failAfterDelivery() {
        return new FailAfterDelivery();
    }

    /**
     * The request and the reply travel for some time.
     *
     * @param request how long until the request arrives, zero or more
     * @param reply how long until the reply arrives, zero or more
     * @return the fault
     * @throws IllegalArgumentException if one is negative
     */
    static Fault delay(Duration request, Duration reply) {
        return new Delay(request, reply);
    }

    /**
     * The request arrives at once, and a copy of it some time later; the reply to the copy is thrown away.
     *
     * @param later how long until the copy arrives, zero or more
     * @return the fault
     * @throws IllegalArgumentException if it is negative
     */
    static Fault repeat(Duration later) {
        return new Repeat(later);
    }

    /** See {@link #none()}. */
    record None() implements Fault {}

    /** See {@link #loseRequest()}. */
    record LoseRequest() implements Fault {}

    /** See {@link #loseReply()}. */
    record LoseReply() implements Fault {}

    /** See {@link #refuse()}. */
    record Refuse() implements Fault {}

    /** See {@link #failAfterDelivery()}. */
    record FailAfterDelivery() implements Fault {}

    /**
     * See {@link #delay}.
     *
     * @param request how long until the request arrives
     * @param reply how long until the reply arrives
     */
    record Delay(Duration request, Duration reply) implements Fault {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is negative
         */
        public Delay {
            requirePositive(request);
            requirePositive(reply);
        }
    }

    /**
     * See {@link #repeat}.
     *
     * @param later how long until the copy arrives
     */
    record Repeat(Duration later) implements Fault {

        /**
         * Checks the range.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Repeat {
            requirePositive(later);
        }
    }

    private static void requirePositive(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("a delay must be zero or more, not " + delay);
        }
    }
}
