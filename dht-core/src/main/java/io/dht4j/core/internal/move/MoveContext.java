package io.dht4j.core.internal.move;

import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.copy.PageSource;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.session.CopyComparison;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.view.IncomingReplicas;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.Environment;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The services that all moves of a node share.
 *
 * @param environment time, timers and store threads
 * @param self this node
 * @param views the views of this node
 * @param incoming opens the partitions that this node takes over
 * @param local this node's replicas
 * @param clock returns this node's hybrid clock, which is not behind any reply that it has received
 * @param peers the other replicas
 * @param pages fetches pages of them
 * @param throttle limits the load, and the rate of all copies
 * @param comparison compares this node with one of them
 * @param leftovers drops the entries of earlier moves
 * @param marker the copies that have begun
 * @param promises adopts the highest promises of other replicas, about registers
 */
record MoveContext(
        Environment environment,
        NodeId self,
        Views views,
        IncomingReplicas incoming,
        LocalReplica local,
        Supplier<Version> clock,
        RepairPeers peers,
        PageSource pages,
        Throttle throttle,
        CopyComparison comparison,
        Leftovers leftovers,
        CopyMarker marker,
        Function<Map<Integer, Version>, CompletableFuture<Void>> promises) {}
