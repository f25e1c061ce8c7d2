package io.dht4j.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The number of this process's open files and sockets, where the operating system reports it. */
final class OpenFiles {

    private OpenFiles() {}

    /** Returns the number of open files and sockets, or 0 if it is unknown. */
    static long count() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getOpenFileDescriptorCount()
                : 0;
    }

    /** Waits until at most this number is open, since closed sockets may remain for a moment. */
    static void expectAtMost(long most) {
        Calls.eventually()
                .untilAsserted(
                        () -> assertThat(count()).as("files and sockets open").isLessThanOrEqualTo(most));
    }
}
