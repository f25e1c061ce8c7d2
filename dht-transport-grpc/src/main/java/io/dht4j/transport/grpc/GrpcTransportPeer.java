package io.dht4j.transport.grpc;

/** The way to one peer. Safe for use by any number of threads. */
interface GrpcTransportPeer {

    /**
     * Takes a call. It ends for certain: with a reply, by its deadline, or when the way is closed. Neither blocks nor
     * throws.
     */
    void offer(GrpcTransportCall call);

    /** What the calls to this peer are counted in. */
    GrpcTransportBudget budget();

    /**
     * Ends all calls and connections, those that come later too. What must happen on an event loop happens soon after.
     */
    void close();
}
