package io.dht4j;

/**
 * The connections of a node to another one, over which it calls that node. Immutable.
 *
 * @param open how many are open now
 * @param opened how many have been opened; those beyond the usual number replace earlier ones
 * @param failed how many attempts to open one have failed
 */
public record PeerConnections(int open, long opened, long failed) {

    /** There has been no connection and no attempt. */
    public static final PeerConnections NONE = new PeerConnections(0, 0, 0);
}
