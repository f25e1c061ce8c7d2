package io.dht4j;

/** Whose entries a scan shows. */
public enum ScanScope {
    /** Those of the whole cluster: for each key the newest value that enough replicas agree on. */
    CLUSTER,
    /** Those that the node which was asked holds itself, whether or not they are the newest. */
    NODE
}
