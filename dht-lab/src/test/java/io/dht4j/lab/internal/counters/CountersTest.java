package io.dht4j.lab.internal.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountersTest {

    @TempDir
    Path proc;

    @Test
    void whatAnOperationCostsIsTheDifferenceByTheirNumber() {
        Counters before = new Counters(Map.of(Cost.CPU_MICROS, 1_000L, Cost.WRITE_CALLS, 7L));
        Counters after = new Counters(Map.of(Cost.CPU_MICROS, 6_000L, Cost.WRITE_CALLS, 27L, Cost.TCP_SEGMENTS, 4L));
        assertThat(after.since(before).perOperation(10))
                .containsExactly(Map.entry("CPU µs", 500.0), Map.entry("write calls", 2.0));
        assertThat(after.since(before).perOperation(0)).isEmpty();
    }

    @Test
    void aCostThatOneProcessDoesNotTellIsAbsentFromTheSum() {
        Counters one = new Counters(Map.of(Cost.CPU_MICROS, 1L, Cost.WRITE_CALLS, 2L));
        Counters other = new Counters(Map.of(Cost.CPU_MICROS, 10L));
        assertThat(Counters.sum(List.of(one, other)).values()).isEqualTo(Map.of(Cost.CPU_MICROS, 11L));
        assertThat(Counters.sum(List.of()).values()).isEmpty();
    }

    @Test
    void theSameCostTwiceIsRefused() {
        Counters one = new Counters(Map.of(Cost.TCP_SEGMENTS, 1L));
        assertThatThrownBy(() -> one.and(one)).hasMessageContaining("TCP segments");
    }

    @Test
    void aSystemThatTellsNothingLeavesOnlyWhatTheJvmKnows() {
        try (ProcessCounters counters = new ProcessCounters(proc)) {
            assertThat(counters.read().values())
                    .containsOnlyKeys(Cost.BYTES_ALLOCATED, Cost.CPU_MICROS, Cost.COMPILER_MICROS);
        }
        assertThat(new MachineCounters(proc).read().values()).isEmpty();
    }

    @Test
    void allocationAndProcessorTimeOfThisProcessAreCounted() {
        try (ProcessCounters counters = new ProcessCounters()) {
            Counters before = counters.read();
            byte[][] arrays = new byte[64][];
            for (int i = 0; i < arrays.length; i++) {
                arrays[i] = new byte[1 << 20];
            }
            assertThat(counters.read().since(before).values().get(Cost.BYTES_ALLOCATED))
                    .isGreaterThanOrEqualTo(arrays.length * (1L << 20));
            // Some JVMs count processor time in steps of ten milliseconds, more than the work above may take.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            long micros = 0;
            while (micros == 0 && System.nanoTime() < end) {
                micros = counters.read().since(before).values().get(Cost.CPU_MICROS);
            }
            assertThat(micros).isPositive();
        }
    }

    @Test
    void switchesOfThreadsThatHaveEndedStayCounted() throws IOException {
        writeThread(11, 100, 5);
        writeThread(12, 30, 1);
        try (ProcessCounters counters = new ProcessCounters(proc)) {
            Counters before = counters.read();
            assertThat(before.values()).containsEntry(Cost.CONTEXT_SWITCHES, 136L);
            Files.delete(proc.resolve("self/task/12/status"));
            writeThread(11, 110, 5);
            writeThread(13, 2, 0);
            assertThat(counters.read().since(before).values()).containsEntry(Cost.CONTEXT_SWITCHES, 12L);
            // A new thread gets the id of an ended one.
            writeThread(13, 1, 0);
            assertThat(counters.read().since(before).values()).containsEntry(Cost.CONTEXT_SWITCHES, 13L);
        }
    }

    @Test
    void compilersCountWithTheProcessorTimeOfTheirThreads() throws IOException {
        writeThread(11, "C1 CompilerThre", "2000000 900000000 7");
        writeThread(12, "C2 CompilerThre", "5000000 100 7");
        writeThread(13, "vert.x-eventloo", "70000000 100 7");
        try (ProcessCounters counters = new ProcessCounters(proc)) {
            Counters before = counters.read();
            assertThat(before.values()).containsEntry(Cost.COMPILER_MICROS, 7_000L);
            // The JVM ends idle compiler threads.
            Files.delete(proc.resolve("self/task/12/comm"));
            writeThread(11, "C1 CompilerThre", "2500000 999000000 8");
            assertThat(counters.read().since(before).values()).containsEntry(Cost.COMPILER_MICROS, 500L);
        }
    }

    @Test
    void compilersOfThisProcessAreFoundAndAreNoPartOfItsCost() {
        assumeTrue(Files.exists(Path.of("/proc/self/schedstat")), "the system tells no times of threads");
        // Not from the JVM's own figure, which is also available.
        Map<Long, Long> compilers = new ProcFiles(Path.of("/proc")).compilerNanos();
        assertThat(compilers).isNotEmpty();
        long nanos = compilers.values().stream().mapToLong(Long::longValue).sum();
        assertThat(nanos).isPositive();
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        try (ProcessCounters counters = new ProcessCounters()) {
            long before = TimeUnit.NANOSECONDS.toMicros(system.getProcessCpuTime());
            Map<Cost, Long> values = counters.read().values();
            long after = TimeUnit.NANOSECONDS.toMicros(system.getProcessCpuTime());
            assertThat(values.get(Cost.COMPILER_MICROS)).isGreaterThanOrEqualTo(TimeUnit.NANOSECONDS.toMicros(nanos));
            // Each of the two is rounded down.
            assertThat(values.get(Cost.CPU_MICROS) + values.get(Cost.COMPILER_MICROS))
                    .isBetween(before - 1, after);
        }
    }

    @Test
    void writesSegmentsAndBytesAreReadFromTheRightColumns() throws IOException {
        write("self/io", "rchar: 6976\nwchar: 1\nsyscr: 10\nsyscw: 42\nread_bytes: 0\n");
        write(
                "net/snmp",
                "Ip: Forwarding DefaultTTL\nIp: 2 64\nTcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens "
                        + "AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs\n"
                        + "Tcp: 1 200 120000 -1 79914 25477 54307 4433 5 1574286 1581012 2384\n");
        write(
                "net/dev",
                "Inter-|   Receive                                                |  Transmit\n"
                        + " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n"
                        + "    lo: 100 15 0 0 0 0 0 0 8094325849 16 0 0 0 0 0 0\n"
                        + "  eth0: 443063326 19748 0 0 0 0 0 0 1881614 14690 0 0 0 0 0 0\n");
        try (ProcessCounters counters = new ProcessCounters(proc)) {
            assertThat(counters.read().values()).containsEntry(Cost.WRITE_CALLS, 42L);
        }
        assertThat(new MachineCounters(proc).read().values())
                .isEqualTo(Map.of(Cost.TCP_SEGMENTS, 1_581_012L, Cost.BYTES_ON_THE_WIRE, 8_094_325_849L));
    }

    @Test
    void filesOfAnotherFormTellNothing() throws IOException {
        write("net/snmp", "Tcp: OutSegs\nTcp: many\n");
        write("net/dev", "lo: 1 2 3\n");
        assertThat(new MachineCounters(proc).read().values()).isEmpty();
    }

    private void writeThread(int id, long voluntary, long others) throws IOException {
        write(
                "self/task/" + id + "/status",
                "Name:\tjava\nvoluntary_ctxt_switches:\t" + voluntary + "\nnonvoluntary_ctxt_switches:\t" + others
                        + "\n");
    }

    private void writeThread(int id, String name, String spent) throws IOException {
        write("self/task/" + id + "/comm", name + "\n");
        write("self/task/" + id + "/schedstat", spent + "\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = proc.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
