package io.dht4j.lab.internal.counters;

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
 * The counters of this process. It reads them every five seconds, so ended threads lose their last seconds at most.
 * Safe for use by any number of threads.
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

    /** The JVM's own counter of compilers has another meaning, so the two are never mixed. Guarded by this. */
    private boolean systemTellsCompilers;

    /** Processor time of the compilers, 0 where the system counts none of single threads. Guarded by this. */
    private long compilerNanos;

    /** Starts to read. */
    public ProcessCounters() {
        this(Path.of("/proc"));
    }

    /** Starts to read files of the same form in another directory. */
    ProcessCounters(Path proc) {
        this.proc = new ProcFiles(proc);
        looking.scheduleWithFixedDelay(this::read, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Reads them.
     *
     * @return all except those of the machine; unknown ones are absent
     */
    public synchronized Counters read() {
        Map<Cost, Long> values = new EnumMap<>(Cost.class);
        values.put(Cost.BYTES_ALLOCATED, allocation.bytes());
        long nanos = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        Map<Long, Long> compilers = proc.compilerNanos();
        if (!compilers.isEmpty()) {
            systemTellsCompilers = true;
            compilerNanos = compiling.total(compilers);
            values.put(Cost.COMPILER_MICROS, TimeUnit.NANOSECONDS.toMicros(compilerNanos));
        } else if (!systemTellsCompilers && compiler != null && compiler.isCompilationTimeMonitoringSupported()) {
            // It includes waits for a processor, and advances only at the end of a compilation.
            values.put(Cost.COMPILER_MICROS, TimeUnit.MILLISECONDS.toMicros(compiler.getTotalCompilationTime()));
        }
        if (nanos >= 0) {
            values.put(Cost.CPU_MICROS, TimeUnit.NANOSECONDS.toMicros(nanos - compilerNanos));
        }
        Map<Long, Long> now = proc.contextSwitches();
        if (!now.isEmpty()) {
            values.put(Cost.CONTEXT_SWITCHES, switches.total(now));
        }
        proc.writeCalls().ifPresent(calls -> values.put(Cost.WRITE_CALLS, calls));
        return new Counters(values);
    }

    /** Stops reading. */
    @Override
    public void close() {
        looking.shutdown();
    }
}
