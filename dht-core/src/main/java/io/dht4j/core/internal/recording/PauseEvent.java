package io.dht4j.core.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Records a pause of a node. */
@Name("io.dht4j.Pause")
@Label("Pause")
@Description("A check of the node, which is due ten times a second, was late")
@Category({"dht4j", "Nodes"})
@StackTrace(false)
final class PauseEvent extends Event {

    @Label("Node")
    String node = "";

    @Label("Duration of the Pause")
    @Description("How late the check was")
    @Timespan(Timespan.NANOSECONDS)
    long took;
}
