package io.dht4j.benchmarks.counters;

/** Something that operations cost. */
public enum Cost {
    /**
     * Heap that threads of the process allocated, in bytes. Before Java 21 without what a thread did just before it
     * ended.
     */
    BYTES_ALLOCATED("bytes allocated", false),
    /** Processor time of the process in microseconds, its collector, compiler and system calls included. */
    CPU_MICROS("CPU µs", false),
    /**
     * Processor time of the process's compilers in microseconds, part of {@link #CPU_MICROS}; where the system does not
     * tell it of threads, what the JVM says, which includes waiting for a processor. A JVM that is warm spends next to
     * none.
     */
    COMPILER_MICROS("compiler µs", false),
    /** How often a thread of the process left the processor, of its own accord or not. */
    CONTEXT_SWITCHES("context switches", false),
    /** TCP segments that the machine sent: of all processes, the load's too. */
    TCP_SEGMENTS("TCP segments", true),
    /** Bytes that went over the loopback interface: of all processes, the load's too. */
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
     * What reports call it.
     *
     * @return with its unit, where it has one
     */
    public String label() {
        return label;
    }

    /**
     * Whether the system only tells it of the whole machine.
     *
     * @return true if other processes are in it
     */
    public boolean isOfMachine() {
        return ofMachine;
    }
}
