package io.dht4j;

/**
 * What a node has left undone since it was started so as not to be overwhelmed, and what it has done twice.
 *
 * @param callsRefused calls that it did not begin: too much was under way here, or at too many of the replicas
 * @param workDropped requests, its own and those of other nodes, that waited for its store and were not begun: for too
 *     long, or beyond their deadlines
 * @param peerRequestsRefused requests to replicas that it did not send since too many to the same node were outstanding
 * @param retries requests that it sent a second time
 * @param hedges requests that it sent to one more replica since another one was late
 * @param retriesDenied retries and hedges that it left out since their budget was spent
 */
public record OverloadCounts(
        long callsRefused, long workDropped, long peerRequestsRefused, long retries, long hedges, long retriesDenied) {

    /**
     * Nothing was left undone.
     *
     * @return zeros
     */
    public static OverloadCounts none() {
        return new OverloadCounts(0, 0, 0, 0, 0, 0);
    }
}
