package io.dht4j.benchmarks.results;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The machine that produced figures.
 *
 * @param processors number that the JVM sees
 * @param processor its model, by the system's name
 * @param memoryBytes of the machine
 * @param system name and version of the operating system
 * @param java version of the JVM
 */
public record Machine(int processors, String processor, long memoryBytes, String system, String java) {

    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    /**
     * Reads the machine of this process from the system.
     *
     * @return a new instance
     */
    public static Machine ofThisProcess() {
        long memory =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                processorModel(),
                memory,
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                System.getProperty("java.vm.name") + " " + Runtime.version());
    }

    private static String processorModel() {
        try (Stream<String> lines = Files.lines(PROCESSORS)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElseGet(Machine::architecture);
        } catch (IOException e) {
            return architecture(); // Only Linux has the file.
        }
    }

    private static String architecture() {
        return System.getProperty("os.arch");
    }
}
