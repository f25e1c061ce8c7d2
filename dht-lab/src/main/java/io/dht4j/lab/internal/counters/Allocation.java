package io.dht4j.lab.internal.counters;

import com.sun.management.ThreadMXBean;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Counts the bytes that the threads of this process allocated on the heap. From Java 21 on the JVM includes ended
 * threads; before, the last allocations of ended threads are missing. Safe for use by any number of threads.
 */
public final class Allocation {

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Optional<MethodHandle> total = total();
    private final PerThread perThread = new PerThread();

    /** Starts to count. */
    public Allocation() {}

    /**
     * Reads the counter.
     *
     * @return bytes, never less than before
     */
    public synchronized long bytes() {
        if (total.isPresent()) {
            try {
                return (long) total.get().invokeExact(threads);
            } catch (Throwable e) {
                throw new IllegalStateException("the JVM does not report what its threads allocated", e);
            }
        }
        long[] ids = threads.getAllThreadIds();
        long[] allocated = threads.getThreadAllocatedBytes(ids);
        Map<Long, Long> now = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            if (allocated[i] > 0) {
                now.put(ids[i], allocated[i]);
            }
        }
        return perThread.total(now);
    }

    /** Returns Java 21's {@code getTotalThreadAllocatedBytes}, if it exists. */
    private static Optional<MethodHandle> total() {
        try {
            return Optional.of(MethodHandles.publicLookup()
                    .findVirtual(
                            ThreadMXBean.class, "getTotalThreadAllocatedBytes", MethodType.methodType(long.class)));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return Optional.empty();
        }
    }
}
