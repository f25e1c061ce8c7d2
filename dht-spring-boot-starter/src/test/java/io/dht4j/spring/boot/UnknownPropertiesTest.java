package io.dht4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.testkit.network.FreePorts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.test.util.TestPropertyValues.Type;
import org.springframework.context.annotation.Configuration;

/**
 * A property of the prefix that does not exist ends the start, and a variable is a warning; each way to write one that
 * exists is taken.
 */
class UnknownPropertiesTest {

    private final ApplicationContextRunner runner =
            Contexts.runner().withConfiguration(AutoConfigurations.of(DhtCacheAutoConfiguration.class));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dht4j.node-idd=n1 | dht4j.node-idd does not exist | did you mean dht4j.node-id",
                "dht4j.nodes[0].id=n1 | dht4j.nodes[0].id does not exist | dht4j.nodes",
                "dht4j.transport.prot=7001 | dht4j.transport.prot does not exist | dht4j.transport.port",
                "dht4j.transport.tyep=tcp | dht4j.transport.tyep does not exist | dht4j.transport.type",
                "dht4j.metrics.enable=true | dht4j.metrics.enable does not exist | dht4j.metrics.enabled",
                "dht4j.cache.name=books | dht4j.cache.name does not exist | dht4j.cache.names",
                "dht4j.cache.caches.books.valuetyp=byte[] | dht4j.cache.caches.books.valuetyp does not exist "
                        + "| did you mean dht4j.cache.caches.books.value-type",
                "dht4j.cache.caches.my.books.null-values=true | dht4j.cache.caches.my.books.null-values does not exist "
                        + "| did you mean dht4j.cache.caches.my.null-values",
                "dht4j.x=1 | dht4j.x does not exist | dht4j.x",
                "dht4j.store.dir=data | dht4j.store.dir does not exist | did you mean dht4j.store.directory?",
                "dht4j.tls.cert=n1.pem | dht4j.tls.cert does not exist | did you mean dht4j.tls.certificate?",
                "dht4j.membership.boot=n1=a:1 | dht4j.membership.boot does not exist "
                        + "| did you mean dht4j.membership.bootstrap?",
                "dht4j.cache.caches.books.time=1m | dht4j.cache.caches.books.time does not exist "
                        + "| did you mean dht4j.cache.caches.books.time-to-live?",
                "dht4j.cache.caches.books.expiry-after-write=1m | dht4j.cache.caches.books.expiry-after-write does not "
                        + "exist | dht4j.cache.caches.books has time-to-live, null-values, value-type, serializer, atomic",
                "dht4j.node-idd=n1;dht4j.transport.prot=1 | dht4j.node-idd does not exist "
                        + "| dht4j.transport.prot does not exist"
            })
    void anUnknownPropertyEndsTheStart(String properties, String message, String similar) {
        AtomicBoolean starting = new AtomicBoolean();
        runner.withBean(ClusterBuilderCustomizer.class, () -> builder -> starting.set(true))
                .withPropertyValues(properties.strip().split(";"))
                .run(context -> {
                    FailureAnalysis shown = StartFailureTest.analysis(context.getStartupFailure());
                    assertThat(shown.getDescription())
                            .contains(message.strip(), similar.strip())
                            .doesNotContain("\n");
                    assertThat(shown.getAction()).contains("@ConfigurationProperties");
                });
        assertThat(starting).isFalse();
    }

    @Test
    void theFailureNamesTheSwitchThatMakesItAWarning() {
        ApplicationContextRunner misspelt = runner.withPropertyValues("dht4j.node-idd=n1");
        misspelt.run(context -> assertThat(
                        StartFailureTest.analysis(context.getStartupFailure()).getAction())
                .contains("dht4j.unknown-properties=warn"));
        misspelt.withPropertyValues("dht4j.unknown-properties=warn").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(warnings(context))
                    .singleElement()
                    .asString()
                    .contains("dht4j.node-idd does not exist", "did you mean dht4j.node-id?");
        });
        misspelt.withPropertyValues("dht4j.unknown-properties=ignore")
                .run(context -> assertThat(context).hasFailed());
    }

    @ParameterizedTest
    @CsvSource({
        "DHT4J_NODE_IDD, did you mean dht4j.node-id?",
        "DHT4J_STOREDIRECTORY, did you mean dht4j.store.directory?",
        "DHT4J_STORE_DIR, did you mean dht4j.store.directory?",
        "DHT4J_NODES0, did you mean dht4j.nodes",
        "DHT4J_CACHE_CACHES_MY_BOOKS_VALUETYPE, sets no property",
        "DHT4J_TRANPORT_PORT, did you mean dht4j.transport.port",
        "DHT4J_VERSION, sets no property",
        "DHT4J_HOME, sets no property"
    })
    void anUnknownVariableIsAWarning(String variable, String hint) {
        withVariables(variable + "=7001").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(warnings(context)).singleElement().asString().contains(variable + " sets no property", hint);
        });
    }

    /** Returns what a further check of the context warns of. */
    private static List<String> warnings(AssertableApplicationContext context) {
        List<String> warnings = new ArrayList<>();
        UnknownProperties.refuse(context.getEnvironment(), context.getBeanFactory(), warnings::add);
        return warnings;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dht4j.nodeId=n1",
                "dht4j.node_id=n1",
                "dht4j.NODE-ID=n1",
                "dht4j.replicationFactor=1",
                "dht4j.cache.caches.books.timeToLive=1m",
                "dht4j.cache.caches[my.books].time-to-live=1m",
                "dht4j.cache.caches[Books].null-values=false",
                "dht4j.cache.names[0]=books",
                "dht4j.cache.names=books,authors",
                "dht4j.metrics.enabled=false",
                "dht4j.tracing.enabled=false",
                "dht4j.enabled=true",
                "dht4jx.node-idd=n1"
            })
    void aPropertyThatExistsIsTakenInEachForm(String property) {
        runner.withPropertyValues(property).run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DHT4J_NODEID=n1",
                "DHT4J_NODE_ID=n1",
                "DHT4J_REPLICATIONFACTOR=1",
                "DHT4J_CACHE_NAMES_0=books",
                "DHT4J_CACHE_NAMES_0_=books",
                "DHT4J_CACHE_CACHES_BOOKS_TIMETOLIVE=1m",
                "DHT4J_CACHE_CACHES_BOOKS_TIME_TO_LIVE=1m",
                "DHT4J_CACHE_KEY_PREFIX=c:",
                "DHT4J_MEMBERSHIP_START_TIMEOUT=5m",
                "DHT4J_UNKNOWN_PROPERTIES=warn",
                // What Kubernetes sets for a service of the name dht4j or dht4j-nodes.
                "DHT4J_SERVICE_HOST=10.0.0.1",
                "DHT4J_SERVICE_PORT=8080",
                "DHT4J_SERVICE_PORT_HTTP=8080",
                "DHT4J_PORT=tcp://10.0.0.1:8080",
                "DHT4J_NODES_PORT_8080_TCP=tcp://10.0.0.1:8080",
                "DHT4J_NODES_PORT_8080_TCP_ADDR=10.0.0.1"
            })
    void aVariableThatExistsIsTakenInEachForm(String variable) {
        withVariables(variable).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(warnings(context)).isEmpty();
        });
    }

    private ApplicationContextRunner withVariables(String... variables) {
        return runner.withInitializer(context -> TestPropertyValues.of(variables)
                .applyTo(context.getEnvironment(), Type.SYSTEM_ENVIRONMENT, "test-systemEnvironment"));
    }

    @Test
    void listsAreTakenByIndex() {
        runner.withPropertyValues("dht4j.nodes[0]=n1=127.0.0.1:" + FreePorts.find())
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Properties of the application. */
    @ConfigurationProperties("dht4j.library")
    record OwnProperties(String shelf) {}

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(OwnProperties.class)
    static class Own {}

    @Test
    void propertiesOfTheApplicationHaveAPrefixOfTheirOwn() {
        ApplicationContextRunner shelf = runner.withPropertyValues("dht4j.library.shelf=a");
        shelf.withUserConfiguration(Own.class)
                .run(context ->
                        assertThat(context.getBean(OwnProperties.class).shelf()).isEqualTo("a"));
        shelf.run(context -> assertThat(context).hasFailed());
        withVariables("DHT4J_LIBRARY_SHELF=a")
                .withUserConfiguration(Own.class)
                .run(context -> assertThat(warnings(context)).isEmpty());
    }

    @Test
    void nothingIsCheckedWithoutTheNode() {
        runner.withPropertyValues("dht4j.enabled=false", "dht4j.node-idd=n1")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
