package io.dht4j.benchmarks.cli;

import com.sun.management.OperatingSystemMXBean;
import io.dht4j.benchmarks.report.Machine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Describes the machine of this process. */
final class ThisMachine {

    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    private ThisMachine() {}

    /** Reads it from the system. */
    static Machine read() {
        long memory =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                processor(),
                memory,
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                System.getProperty("java.vm.name") + " " + Runtime.version());
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(PROCESSORS)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElseGet(ThisMachine::architecture);
        } catch (IOException e) {
            return architecture(); // Only Linux has the file.
        }
    }

    private static String architecture() {
        return System.getProperty("os.arch");
    }
}
