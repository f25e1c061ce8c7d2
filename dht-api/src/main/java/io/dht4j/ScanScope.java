package io.dht4j;

/** The entries that a scan shows. */
public enum ScanScope {
    /** The entries of the whole cluster: for each key the newest value among the replicas that the policy requires. */
    CLUSTER,
    /**
     * The entries in the store of the contacted node, whether or not they are the newest. In a cluster whose nodes
     * change: those of the partitions that the node owns and has received completely.
     */
    NODE
}
