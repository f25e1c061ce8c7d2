package io.dht4j.benchmarks.counters;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The counters of this process. It looks by itself every five seconds, so that what threads did that have ended is not
 * lost but for their last seconds. Safe for use by any number of threads.
 */
public final class ProcessCounters implements AutoCloseable {

    private static final long LOOK_SECONDS = 5;

    private final ProcFiles proc;
    private final Allocation allocation = new Allocation();
    private final PerThread switches = new PerThread();
    private final PerThread compiling = new PerThread();
    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "counters");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * What the JVM tells of compilers counts otherwise, so that one must not follow the other. Under the lock of this.
     */
    private boolean systemTellsCompilers;

    /** Begins to look. */
    public ProcessCounters() {
        this(Path.of("/proc"));
    }

    /** Looks at files of the same form in another directory. */
    ProcessCounters(Path proc) {
        this.proc = new ProcFiles(proc);
        looking.scheduleWithFixedDelay(this::read, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Reads them.
     *
     * @return all but those of the machine; those that the system does not tell are absent
     */
    public synchronized Counters read() {
        Map<Cost, Long> values = new EnumMap<>(Cost.class);
        values.put(Cost.BYTES_ALLOCATED, allocation.bytes());
        long nanos = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        if (nanos >= 0) {
            values.put(Cost.CPU_MICROS, TimeUnit.NANOSECONDS.toMicros(nanos));
        }
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        Map<Long, Long> compilers = proc.compilerNanos();
        if (!compilers.isEmpty()) {
            systemTellsCompilers = true;
            values.put(Cost.COMPILER_MICROS, TimeUnit.NANOSECONDS.toMicros(compiling.total(compilers)));
        } else if (!systemTellsCompilers && compiler != null && compiler.isCompilationTimeMonitoringSupported()) {
            // With the time that they wait for a processor, and only when a compilation ends.
            values.put(Cost.COMPILER_MICROS, TimeUnit.MILLISECONDS.toMicros(compiler.getTotalCompilationTime()));
        }
        Map<Long, Long> now = proc.contextSwitches();
        if (!now.isEmpty()) {
            values.put(Cost.CONTEXT_SWITCHES, switches.total(now));
        }
        proc.writeCalls().ifPresent(calls -> values.put(Cost.WRITE_CALLS, calls));
        return new Counters(values);
    }

    /** Stops looking by itself. */
    @Override
    public void close() {
        looking.shutdown();
    }
}
