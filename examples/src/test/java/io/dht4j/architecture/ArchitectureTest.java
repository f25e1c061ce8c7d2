package io.dht4j.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

@Tag("portable")
class ArchitectureTest {

    private static final String ENVIRONMENT = "core takes time, chance and threads from its environment";

    private static JavaClasses product;
    private static JavaClasses fixtures;

    @BeforeAll
    static void read() {
        product = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                // Made by the protocol compiler, in its own style.
                .withImportOption(location -> !location.contains("/io/dht4j/v1/"))
                .importPackages("io.dht4j");
        fixtures = new ClassFileImporter().importPackages(ArchitectureTest.class.getPackageName() + ".fixture");
    }

    @Test
    void theRulesSeeEveryModule() {
        assertThat(product.stream().map(JavaClass::getPackageName).distinct())
                .contains(
                        "io.dht4j",
                        "io.dht4j.spi",
                        "io.dht4j.core",
                        "io.dht4j.store.memory",
                        "io.dht4j.store.mvstore",
                        "io.dht4j.security",
                        "io.dht4j.transport.http",
                        "io.dht4j.transport.grpc",
                        "io.dht4j.server",
                        "io.dht4j.examples.transport",
                        "io.dht4j.testkit",
                        "io.dht4j.simulator")
                .noneMatch(name -> name.startsWith("io.dht4j.architecture"));
    }

    @TestFactory
    Stream<DynamicTest> theProductKeeps() {
        return new Rules("io.dht4j")
                .all().entrySet().stream()
                        .map(rule -> DynamicTest.dynamicTest(
                                rule.getKey(), () -> rule.getValue().check(product)));
    }

    /** A rule that nothing breaks shows nothing; each of these must be seen to be broken. */
    @TestFactory
    Stream<DynamicTest> theRulesNotice() {
        Map<String, ArchRule> rules = new Rules(getClass().getPackageName() + ".fixture").all();
        return Stream.of(
                        new Breach("the API depends on nothing but the JDK", "LeakySpi"),
                        new Breach("the core depends on the API, a hashing library and SLF4J", "UsesAStore"),
                        new Breach("the memory store depends on the API only", "UsesNetty"),
                        new Breach("the HTTP transport depends on the API, Vert.x and one-nio", "UsesCore"),
                        new Breach("Vert.x and Netty stay in the HTTP transport", "UsesNetty"),
                        new Breach("Netty's own classes stay in one package", "UsesNetty"),
                        new Breach("the gRPC transport depends on the API and gRPC", "LeakyGrpc"),
                        new Breach("gRPC stays in the gRPC transport", "UsesGrpc"),
                        new Breach("MVStore stays in the durable store", "LeakySpi"),
                        new Breach("no wrapped library is in a public signature", "LeakySpi.stores"),
                        new Breach("no wrapped library is in a public signature", "LeakyStore.open"),
                        new Breach("no wrapped library is in a public signature", "LeakyGrpc.status"),
                        new Breach("no package cycles", "Cycle detected"),
                        new Breach("nobody uses another module's internals", "UsesCore"),
                        new Breach(ENVIRONMENT, "RunsAlone.nanoTime"),
                        new Breach(ENVIRONMENT, "RunsAlone.reference"),
                        new Breach(ENVIRONMENT, "RunsAlone.wallClock"),
                        new Breach(ENVIRONMENT, "RunsAlone.instant"),
                        new Breach(ENVIRONMENT, "RunsAlone.systemClock"),
                        new Breach(ENVIRONMENT, "RunsAlone.dice"),
                        new Breach(ENVIRONMENT, "RunsAlone.moreDice"),
                        new Breach(ENVIRONMENT, "RunsAlone.yetMoreDice"),
                        new Breach(ENVIRONMENT, "RunsAlone.thread"),
                        new Breach(ENVIRONMENT, "RunsAlone.sleep"),
                        new Breach(ENVIRONMENT, "RunsAlone.timer"),
                        new Breach(ENVIRONMENT, "RunsAlone.commonPool"),
                        new Breach(ENVIRONMENT, "RunsAlone.async"),
                        new Breach(ENVIRONMENT, "RunsAlone.thenAsync"),
                        new Breach(ENVIRONMENT, "RunsAlone.timeout"),
                        new Breach(ENVIRONMENT, "RunsAlone.parallel"),
                        new Breach(ENVIRONMENT, "RunsAlone.pool"),
                        new Breach("stores take no shortcuts to threads that are not theirs", "UsesNetty.later"),
                        new Breach("no mutable statics", "Statics.counter is not final"),
                        new Breach("no mutable statics", "Statics.REGISTRY holds"),
                        new Breach("no mutable statics", "Statics.CACHE holds"),
                        new Breach("no service loader", "Statics"),
                        new Breach("store threads are never interrupted", "Interrupts.stop"),
                        new Breach("store threads are never interrupted", "Interrupts.cancel"))
                .map(breach -> DynamicTest.dynamicTest(breach.rule() + ": " + breach.culprit(), () -> {
                    EvaluationResult result = named(rules, breach.rule()).evaluate(fixtures);
                    assertThat(result.getFailureReport().getDetails())
                            .anySatisfy(line -> assertThat(line).contains(breach.culprit()));
                }));
    }

    @Test
    void theRulesLeaveWhatIsAllowedAlone() {
        Map<String, ArchRule> rules = new Rules(getClass().getPackageName() + ".fixture").all();
        EvaluationResult result = named(rules, ENVIRONMENT).evaluate(fixtures);
        assertThat(result.getFailureReport().getDetails())
                .noneSatisfy(line -> assertThat(line).contains("allowed"))
                .noneSatisfy(line -> assertThat(line).contains("SystemEnvironment"));
    }

    /** Something in a fixture that breaks a rule. */
    private record Breach(String rule, String culprit) {}

    private static ArchRule named(Map<String, ArchRule> rules, String name) {
        assertThat(rules).containsKey(name);
        return rules.get(name);
    }
}
