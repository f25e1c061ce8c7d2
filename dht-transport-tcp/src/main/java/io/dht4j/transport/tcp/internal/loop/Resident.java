package io.dht4j.transport.tcp.internal.loop;

/** An object on an event loop that the loop has to attend to. Called on the loop. */
public interface Resident {

    /** Ends overdue work. Called a few times a second. */
    void sweep(long now);

    /** Ends this object, because the loop ends. May be called repeatedly. */
    void loopEnds();
}
