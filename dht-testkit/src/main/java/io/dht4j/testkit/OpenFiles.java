package io.dht4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Files and sockets that this process has open, where the operating system tells. */
final class OpenFiles {

    private OpenFiles() {}

    /** How many are open, or 0 if nobody knows. */
    static long count() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getOpenFileDescriptorCount()
                : 0;
    }

    /** Waits until there are no more than this, since closed sockets may take a moment to go. */
    static void expectAtMost(long most) {
        TransportHarness.eventually()
                .untilAsserted(
                        () -> assertThat(count()).as("files and sockets open").isLessThanOrEqualTo(most));
    }
}
