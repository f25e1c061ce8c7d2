package io.dht4j.lab.internal.counters;

/** A cost of operations. */
public enum Cost {
    /**
     * Heap that threads of the process allocated, in bytes. Before Java 21 it lacks the last allocations of ended
     * threads.
     */
    BYTES_ALLOCATED("bytes allocated", false),
    /**
     * Processor time of the process in microseconds, its collector and system calls included. Its compilers, which rest
     * in a process that runs for long, are not, where the system counts the time of single threads, as Linux does.
     */
    CPU_MICROS("CPU µs", false),
    /**
     * Processor time of the process's compilers in microseconds, beside {@link #CPU_MICROS}. Without counters of
     * threads it is the JVM's figure, which includes waits for a processor. A warm JVM spends next to none.
     */
    COMPILER_MICROS("compiler µs", false),
    /** Voluntary and involuntary context switches of the process. */
    CONTEXT_SWITCHES("context switches", false),
    /** TCP segments that the machine sent, those of the load included. */
    TCP_SEGMENTS("TCP segments", true),
    /** Bytes over the loopback interface, those of the load included. */
    BYTES_ON_THE_WIRE("bytes on the wire", true),
    /** System calls of the process that write to files, pipes and sockets; not {@code send} and {@code sendmsg}. */
    WRITE_CALLS("write calls", false);

    private final String label;
    private final boolean ofMachine;

    Cost(String label, boolean ofMachine) {
        this.label = label;
        this.ofMachine = ofMachine;
    }

    /**
     * Returns its name in reports.
     *
     * @return with its unit, where it has one
     */
    public String label() {
        return label;
    }

    /**
     * Returns whether the system counts it for the whole machine only.
     *
     * @return true if it includes other processes
     */
    public boolean isOfMachine() {
        return ofMachine;
    }
}
