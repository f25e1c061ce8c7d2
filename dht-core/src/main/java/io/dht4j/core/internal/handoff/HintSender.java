package io.dht4j.core.internal.handoff;

import io.dht4j.Node;
import io.dht4j.spi.Entry;
import java.util.List;

/** Brings hints to a node. Does not block; safe for use by any number of threads. */
public interface HintSender {

    /**
     * Sends entries.
     *
     * @param node who missed them
     * @param entries what it missed
     * @param outcome exactly one of its methods is called, once, on any thread
     */
    void send(Node node, List<Entry> entries, Outcome outcome);

    /**
     * Whether a node will most likely not answer.
     *
     * @param node who
     * @return as it seems at this moment
     */
    boolean isSuspected(Node node);

    /** Takes what became of entries that were sent. */
    interface Outcome {

        /** The node has merged them. */
        void taken();

        /**
         * The node will never take them as they are.
         *
         * @param why one line for people
         */
        void refused(String why);

        /**
         * The node did not take them now, or nobody knows.
         *
         * @param answered whether it said so: then a sign of life is no reason to try again sooner
         * @param why one line for people
         */
        void failed(boolean answered, String why);
    }
}
