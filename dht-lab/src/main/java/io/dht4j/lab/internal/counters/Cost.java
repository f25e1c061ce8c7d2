package io.dht4j.lab.internal.counters;

/** A cost of operations. */
public enum Cost {
    /**
     * Heap that threads of the process allocated, in bytes. Before Java 21 it lacks the last allocations of ended
     * threads.
     */
    BYTES_ALLOCATED("bytes allocated"),
    /**
     * Processor time of the process in microseconds, its collector and system calls included. Its compilers, which rest
     * in a process that runs for long, are not, where the system counts the time of single threads, as Linux does.
     */
    CPU_MICROS("CPU µs"),
    /**
     * Processor time of the process's compilers in microseconds, beside {@link #CPU_MICROS}. Without counters of
     * threads it is the JVM's figure, which includes waits for a processor. A warm JVM spends next to none.
     */
    COMPILER_MICROS("compiler µs"),
    /** Voluntary and involuntary context switches of the process. */
    CONTEXT_SWITCHES("context switches"),
    /** TCP segments that the machine sent, those of the load included. */
    TCP_SEGMENTS("TCP segments"),
    /** Bytes over the loopback interface, those of the load included. */
    BYTES_ON_THE_WIRE("bytes on the wire"),
    /** System calls of the process that write to files, pipes and sockets; not {@code send} and {@code sendmsg}. */
    WRITE_CALLS("write calls");

    private final String label;

    Cost(String label) {
        this.label = label;
    }

    /**
     * Returns its name in reports.
     *
     * @return with its unit, where it has one
     */
    public String label() {
        return label;
    }
}
