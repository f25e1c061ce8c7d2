package io.dht4j.testkit.network;

import java.time.Duration;

/** The effect of a {@link FaultyTransport} on a call. Immutable. */
public sealed interface Fault {

    /**
     * Returns the absence of a fault: the call is unaffected.
     *
     * @return the absence of a fault
     */
    static Fault none() {
        return new None();
    }

    /**
     * Returns a fault that loses the request. The call fails at its deadline with an unknown outcome.
     *
     * @return the fault
     */
    static Fault loseRequest() {
        return new LoseRequest();
    }

    /**
     * Returns a fault that loses the reply: the request arrives and is executed. The call fails at its deadline with an
     * unknown outcome.
     *
     * @return the fault
     */
    static Fault loseReply() {
        return new LoseReply();
    }

    /**
     * Returns a fault that refuses the request immediately as not sent, as a machine without a listener does.
     *
     * @return the fault
     */
    static Fault refuse() {
        return new Refuse();
    }

    /**
     * Returns a fault that refuses the request at once as not sent, as a node that has no room for it.
     *
     * @return the fault
     */
    static Fault refuseForRoom() {
        return new RefuseForRoom();
    }

    /**
     * Returns a fault that fails the call after the request arrived and was executed. The outcome is unknown, as after
     * a broken connection.
     *
     * @return the fault
     */
    static Fault failAfterDelivery() {
        return new FailAfterDelivery();
    }

    /**
     * Returns a fault that delays the request and the reply.
     *
     * @param request the delay of the request, zero or more
     * @param reply the delay of the reply, zero or more
     * @return the fault
     * @throws IllegalArgumentException if one is negative
     */
    static Fault delay(Duration request, Duration reply) {
        return new Delay(request, reply);
    }

    /**
     * Returns a fault that repeats the request: it arrives immediately, and a copy of it later. The reply to the copy
     * is discarded. A request that is not sent is not repeated.
     *
     * @param later the delay of the copy, zero or more
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

    /** See {@link #refuseForRoom()}. */
    record RefuseForRoom() implements Fault {}

    /** See {@link #failAfterDelivery()}. */
    record FailAfterDelivery() implements Fault {}

    /**
     * See {@link #delay}.
     *
     * @param request the delay of the request
     * @param reply the delay of the reply
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
     * @param later the delay of the copy
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
