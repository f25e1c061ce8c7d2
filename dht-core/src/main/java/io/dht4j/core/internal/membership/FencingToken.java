package io.dht4j.core.internal.membership;

/**
 * What a request to replicas carries so that they serve it only if they agree with the coordinator on the replicas of
 * its partitions. See <em>fencing token</em> in M. Kleppmann, <em>Designing Data-Intensive Applications</em>, 2017.
 *
 * <p>The highest row version stands for those of all partitions that the request concerns. Within one view that is
 * safe, since a view is a consistent cut of the agreed changes. If the highest versions of two views over the same
 * partitions are equal, then both views contain the change of that version, and the later one contains no later change
 * of these partitions: so all their rows are equal. It would not be safe over several views: in a batch, each part has
 * a token of its own.
 *
 * @param view the view by which the request was planned
 * @param rowVersion the highest row version of its partitions, 1 or more
 */
public record FencingToken(ClusterView view, long rowVersion) {}
