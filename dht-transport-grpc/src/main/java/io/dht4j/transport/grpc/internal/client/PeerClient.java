package io.dht4j.transport.grpc.internal.client;

/** The connections to one peer. Safe for use by any number of threads. */
interface PeerClient {

    /**
     * Takes a call. The call always ends: with a reply, by its deadline, or when the peer is closed. Neither blocks nor
     * throws.
     */
    void offer(PeerCall call);

    /** Returns the budget that counts the calls to this peer. */
    CallBudget budget();

    /**
     * Ends all calls and connections, including those that come later. Work on an event loop follows soon afterwards.
     */
    void close();
}
