package io.dht4j.core.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Records partitions that a node has taken over. */
@Name("io.dht4j.PartitionMove")
@Label("Partition Move")
@Description("The node has everything of partitions that it takes over from others")
@Category({"dht4j", "Rebalancing"})
@StackTrace(false)
final class PartitionMoveEvent extends Event {

    @Label("Node")
    @Description("The node that takes over")
    String node = "";

    @Label("Batch")
    @Description("The batch of moves")
    long batch;

    @Label("Partitions")
    int partitions;

    @Label("Sources")
    @Description("The nodes that they were copied from")
    String sources = "";

    @Label("Copied")
    @Description("Received by the batch until now")
    @DataAmount
    long copiedBytes;

    @Label("Duration of the Move")
    @Description("Time since the batch began on this node")
    @Timespan(Timespan.NANOSECONDS)
    long took;
}
