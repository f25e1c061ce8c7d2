package io.dht4j.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The transports of a test. After the test they are closed, and their threads, files and sockets must be released. A
 * contract registers it as an extension. Used by the thread of the test.
 */
public final class OpenTransports implements BeforeEachCallback, AfterEachCallback {

    /** Allowance for files that the first use of classes and libraries opens permanently. */
    private static final int FILES_OF_THE_JVM = 100;

    private final List<Transport> transports = new ArrayList<>();
    private Set<Thread> threadsBefore = Set.of();
    private long filesBefore;

    /** Creates an empty set of transports. */
    public OpenTransports() {}

    /**
     * Adds a transport, which is closed after the test.
     *
     * @param transport any transport, started or not
     */
    public void add(Transport transport) {
        transports.add(transport);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        threadsBefore = Thread.getAllStackTraces().keySet();
        filesBefore = OpenFiles.count();
    }

    /** Closes all transports and waits until all their resources are released. */
    @Override
    public void afterEach(ExtensionContext context) {
        TransportHarness harness = (TransportHarness) context.getRequiredTestInstance();
        transports.forEach(Transport::close);
        transports.clear();
        expectNoThreadsLeft(harness.ownThreads());
        if (harness.closesFiles()) {
            OpenFiles.expectAtMost(filesBefore + FILES_OF_THE_JVM);
        }
        harness.expectNoLeaks();
    }

    private void expectNoThreadsLeft(Predicate<Thread> own) {
        Calls.eventually()
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .filteredOn(thread -> !threadsBefore.contains(thread))
                        .filteredOn(own)
                        .isEmpty());
    }
}
