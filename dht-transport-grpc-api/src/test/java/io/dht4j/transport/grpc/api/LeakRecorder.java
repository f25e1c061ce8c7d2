package io.dht4j.transport.grpc.api;

import io.grpc.netty.shaded.io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Netty's leak detector, remembering what it reports. Named in the module's test JVM flags. */
public final class LeakRecorder<T> extends ResourceLeakDetector<T> {

    static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();

    public LeakRecorder(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        REPORTS.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        REPORTS.add(resourceType);
    }
}
