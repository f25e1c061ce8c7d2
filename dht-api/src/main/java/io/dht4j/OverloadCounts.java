package io.dht4j;

/**
 * Counts of the work that a node has refused, dropped or repeated under load since its start.
 *
 * @param callsRefused calls refused because too many were in flight on this node, or at too many of the replicas
 * @param workDropped requests of this or another node dropped from the store's queue, after too long a wait or past
 *     their deadlines
 * @param peerRequestsRefused requests to replicas not sent because too many to the same node were outstanding
 * @param retries requests sent a second time
 * @param hedges requests sent to one more replica because another one was late
 * @param retriesDenied retries and hedges omitted because their budget was spent
 */
public record OverloadCounts(
        long callsRefused, long workDropped, long peerRequestsRefused, long retries, long hedges, long retriesDenied) {

    /**
     * Returns counts of zero.
     *
     * @return zeros
     */
    public static OverloadCounts none() {
        return new OverloadCounts(0, 0, 0, 0, 0, 0);
    }
}
