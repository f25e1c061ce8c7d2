package io.dht4j.core.internal.recording;

import io.dht4j.NodeId;
import io.dht4j.SlowCall;
import java.util.Collection;
import java.util.stream.Collectors;
import jdk.jfr.FlightRecorder;

/**
 * Reports to the Flight Recorder of the JDK while it is recording; costs a comparison before the first recording of the
 * process. Events have the time of their end and a field with their duration, since only the end decides whether they
 * are reported. Does not block; safe for use by any number of threads.
 */
public final class FlightRecording {

    /** False in a run-time image without the module. */
    private static final boolean AVAILABLE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording() {}

    /**
     * Returns false until the first recording of the process. Loading the class of an event earlier would start the
     * recorder of the JDK.
     */
    private static boolean mayBeOn() {
        return AVAILABLE && FlightRecorder.isInitialized();
    }

    /**
     * Reports a call that took long.
     *
     * @param node the node that was called
     * @param call the call
     * @param requests one line about its requests
     */
    public static void slowCall(NodeId node, SlowCall call, String requests) {
        if (!mayBeOn()) {
            return;
        }
        SlowCallEvent event = new SlowCallEvent();
        if (event.shouldCommit()) {
            event.node = node.value();
            event.kind = call.kind();
            event.outcome = call.outcome();
            event.took = call.took().toNanos();
            event.keys = call.keys();
            event.keyHash = call.keyHash().isPresent()
                    ? String.format("%016x", call.keyHash().getAsLong())
                    : null;
            event.replicas = names(call.replicas());
            event.requests = requests;
            event.commit();
        }
    }

    /**
     * Reports that a node has taken over partitions completely.
     *
     * @param node the node
     * @param batch the batch of moves that they belong to
     * @param partitions their number
     * @param sources the nodes that they were copied from
     * @param bytes the bytes that the batch has received since it began
     * @param nanos how long ago the batch began
     */
    public static void partitionsMoved(
            NodeId node, long batch, int partitions, Collection<NodeId> sources, long bytes, long nanos) {
        if (!mayBeOn()) {
            return;
        }
        PartitionMoveEvent event = new PartitionMoveEvent();
        if (event.shouldCommit()) {
            event.node = node.value();
            event.batch = batch;
            event.partitions = partitions;
            event.sources = names(sources);
            event.copiedBytes = bytes;
            event.took = nanos;
            event.commit();
        }
    }

    /**
     * Reports that a node was paused for any reason, for example swapping.
     *
     * @param node the node
     * @param nanos how long
     */
    public static void paused(NodeId node, long nanos) {
        if (!mayBeOn()) {
            return;
        }
        PauseEvent event = new PauseEvent();
        if (event.shouldCommit()) {
            event.node = node.value();
            event.took = nanos;
            event.commit();
        }
    }

    private static String names(Collection<NodeId> nodes) {
        return nodes.stream().map(NodeId::value).collect(Collectors.joining(", "));
    }
}
