package io.dht4j.transport.tcp.internal.loop;

/** What lives on an event loop and has to be looked after. Called on the loop. */
public interface Resident {

    /** Looks for what is overdue, a few times a second. */
    void sweep(long now);

    /** Ends everything, because the loop ends. May be called repeatedly. */
    void loopEnds();
}
