package io.dht4j.benchmarks.load;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** How many bytes the threads of this process have allocated. Of a thread that ends, what it allocated since the last look is missed. */
final class Allocation {

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Map<Long, Long> lastSeen = new HashMap<>();

    long bytes() {
        long[] ids = threads.getAllThreadIds();
        long[] allocated = threads.getThreadAllocatedBytes(ids);
        for (int i = 0; i < ids.length; i++) {
            if (allocated[i] > 0) {
                lastSeen.put(ids[i], allocated[i]);
            }
        }
        return lastSeen.values().stream().mapToLong(Long::longValue).sum();
    }
}
