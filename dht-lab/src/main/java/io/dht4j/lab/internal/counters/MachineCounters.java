package io.dht4j.lab.internal.counters;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** The counters that the system keeps for the whole machine only. One process reads them. */
public final class MachineCounters {

    private final ProcFiles proc;

    /** Creates the counters of this machine. */
    public MachineCounters() {
        this(Path.of("/proc"));
    }

    /** Creates counters from files of the same form in another directory. */
    MachineCounters(Path proc) {
        this.proc = new ProcFiles(proc);
    }

    /**
     * Reads them.
     *
     * @return TCP segments and bytes over loopback; unknown ones are absent
     */
    public Counters read() {
        Map<Cost, Long> values = new EnumMap<>(Cost.class);
        proc.tcpSegmentsSent().ifPresent(segments -> values.put(Cost.TCP_SEGMENTS, segments));
        proc.loopbackBytesSent().ifPresent(bytes -> values.put(Cost.BYTES_ON_THE_WIRE, bytes));
        return new Counters(values);
    }
}
