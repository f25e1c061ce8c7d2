package io.dht4j.transport.common.calls;

import io.dht4j.spi.CallContext;

/** Connections to a peer, one or more, and the calls that wait for them. Safe for use by any number of threads. */
public interface PeerLane {

    /**
     * Returns the peer's address, which begins the text of each failure.
     *
     * @return {@code host:port}
     */
    String address();

    /**
     * Returns the budget that all lanes to the peer share.
     *
     * @return the budget
     */
    CallBudget budget();

    /**
     * Takes a call that is counted in the budget. The call always ends: with a reply, by its deadline, or when the lane
     * is closed. Neither blocks nor throws.
     *
     * @param call the call
     * @param context its context, whose cancellation ends it
     */
    void offer(PeerCall call, CallContext context);

    /**
     * Handles a call that its caller has cancelled, after it has ended.
     *
     * @param call a call that was offered
     */
    void cancelled(PeerCall call);

    /**
     * Returns whether the lane's event loop runs on the calling thread, which saves a hop.
     *
     * @return true on this event loop
     */
    boolean isCurrent();

    /**
     * Ends all calls and the connections, including those that come later. Work on the event loop follows soon
     * afterwards. Does not block; may be called repeatedly.
     *
     * @param why the reason, with which the calls fail
     */
    void close(String why);
}
