package io.dht4j.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import net.bytebuddy.dynamic.DynamicType;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary.Failure;

/** Plants bugs and runs tests of the product against them. */
final class PlantedTests {

    private PlantedTests() {}

    /**
     * Requires that a test finds a bug, by an assertion and not by a product that does not run.
     *
     * @param testClass the class of the test
     * @param test the beginning of the names of its methods that find the bug, with their parameters or without
     * @param changes plant the bug
     */
    static void assertFinds(String testClass, String test, Map<String, UnaryOperator<DynamicType.Builder<?>>> changes) {
        List<Failure> failures = failures(new PlantedBug(changes), testClass);

        assertThat(failures)
                .as("failures of %s", testClass)
                .noneMatch(failure -> failure.getException() instanceof LinkageError);
        assertThat(failures.stream().map(failure -> failure.getTestIdentifier().getUniqueId()))
                .as("tests of %s that find the bug", testClass)
                .anyMatch(id -> id.contains(test + "("));
    }

    private static List<Failure> failures(PlantedBug bug, String testClass) {
        Class<?> loaded;
        try {
            loaded = bug.loadClass(testClass);
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(testClass, e);
        }
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create(LauncherConfig.builder()
                        .enableLauncherSessionListenerAutoRegistration(false)
                        .enableTestExecutionListenerAutoRegistration(false)
                        .build())
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(loaded))
                                .build(),
                        listener);
        assertThat(listener.getSummary().getTestsStartedCount()).as(testClass).isPositive();
        return listener.getSummary().getFailures();
    }
}
