package io.dht4j.transport.tcp.internal.loop;

/** An object on an event loop that the loop has to attend to. Called on the loop. */
public interface Resident {

    /** Looks for what is overdue, a few times a second. */
    void sweep(long now);

    /** Ends everything, because the loop ends. May be called repeatedly. */
    void loopEnds();
}
