package io.dht4j.core.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** Records a call that took long. */
@Name("io.dht4j.SlowCall")
@Label("Slow Call")
@Description("A call of a client or of the application that took longer than the limit of the log of slow calls")
@Category({"dht4j", "Calls"})
@StackTrace(false)
final class SlowCallEvent extends Event {

    @Label("Node")
    @Description("The node that was called")
    String node = "";

    @Label("Kind")
    String kind = "";

    @Label("Outcome")
    @Description("SUCCESS, CANCELLED or the name of the error")
    String outcome = "";

    @Label("Duration of the Call")
    @Timespan(Timespan.NANOSECONDS)
    long took;

    @Label("Keys")
    @Description("Number of keys; 0 for a scan or a snapshot")
    int keys;

    @Label("Key Hash")
    @Description("Hash of the key by the hash function of the cluster, if the call has one key")
    @Nullable
    String keyHash;

    @Label("Replicas")
    @Description("Replicas of the key")
    String replicas = "";

    @Label("Requests")
    @Description("Requests to replicas: when they began, how long they took, and their outcomes")
    String requests = "";
}
