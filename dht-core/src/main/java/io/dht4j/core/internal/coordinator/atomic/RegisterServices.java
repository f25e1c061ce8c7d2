package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.Key;
import io.dht4j.core.internal.clock.VersionSource;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.snapshot.Snapshots;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.spi.Environment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What all calls and rounds of registers of a node share.
 *
 * @param components the components of the node
 * @param client asks the replicas
 * @param versions issues ballots and revisions
 * @param snapshots waits for rounds whose ballots it may have to show
 * @param leads the registers whose next round needs no promises
 * @param leadMillis how long a lead is used: later a purge may have passed its ballot, and the accept would be refused
 * @param counts counts what operations cost
 * @param closing whether the node closes: then nothing is repeated that lacks a majority
 */
record RegisterServices(
        NodeComponents components,
        ReplicaClient client,
        VersionSource versions,
        Snapshots snapshots,
        Leads leads,
        long leadMillis,
        RegisterCounts counts,
        AtomicBoolean closing) {

    Environment environment() {
        return components.environment();
    }

    /** Returns the row of a key in the current view. */
    RowQuorum row(Key key) {
        ClusterView view = components.view();
        return new RowQuorum(view, view.partitionOf(key));
    }
}
