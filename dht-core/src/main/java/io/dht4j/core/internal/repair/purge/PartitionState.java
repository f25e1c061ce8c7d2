package io.dht4j.core.internal.repair.purge;

/** The state of a partition at one replica, which is a participant of the two-phase commit of a purge. */
enum PartitionState {

    /** No session has sealed the partition yet. */
    OPEN,

    /** Working: a session has sealed the partition, and no older entry has arrived since. */
    SEALED,

    /** An older entry has arrived since the seal: this replica votes no. */
    BROKEN,

    /** Prepared: this replica has voted yes, refuses older entries, and does not know the decision. */
    FENCED,

    /** Committed: all replicas have voted yes, so dead older entries are purged. */
    PURGED,

    /** The partition is being copied from its owner, whose fence watermark holds here too. Votes no until complete. */
    COPYING,

    /** The disk is a copy from before a vote of this replica. It votes no until it has caught up with the others. */
    ROLLED_BACK
}
