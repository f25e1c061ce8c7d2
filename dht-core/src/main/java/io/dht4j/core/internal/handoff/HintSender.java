package io.dht4j.core.internal.handoff;

import io.dht4j.Node;
import io.dht4j.spi.Entry;
import java.util.List;

/** Sends hints to a node. Does not block; safe for use by any number of threads. */
@FunctionalInterface
public interface HintSender {

    /**
     * Sends entries.
     *
     * @param node the node that missed them
     * @param entries the entries
     * @param outcome exactly one of {@code taken}, {@code refused} and {@code failed} is called, once, on any thread
     */
    void send(Node node, List<Entry> entries, Outcome outcome);

    /** Receives the outcome of a send. */
    interface Outcome {

        /** The node has merged the entries, or the replicas that replace it have. */
        void taken();

        /**
         * Another node needs some of the entries too, and has not accepted them. Called before {@link #taken}, any
         * number of times.
         *
         * @param other the node
         * @param some the entries that become hints for it
         */
        void missed(Node other, List<Entry> some);

        /**
         * The node will never accept the entries as they are.
         *
         * @param why one line for people
         */
        void refused(String why);

        /**
         * The node did not accept the entries now, or the outcome is unknown.
         *
         * @param answered whether the node answered: then a sign of life is no reason to retry sooner
         * @param why one line for people
         */
        void failed(boolean answered, String why);
    }
}
