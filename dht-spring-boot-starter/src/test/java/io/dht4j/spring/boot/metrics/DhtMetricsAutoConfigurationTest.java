package io.dht4j.spring.boot.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.micrometer.MicrometerObserver;
import io.dht4j.spi.Observer;
import io.dht4j.spring.boot.Contexts;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DhtMetricsAutoConfigurationTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final ApplicationContextRunner unmeasured =
            Contexts.runner().withConfiguration(AutoConfigurations.of(DhtMetricsAutoConfiguration.class));
    private final ApplicationContextRunner runner = unmeasured.withBean(
            "registry",
            MeterRegistry.class,
            () -> registry,
            definition ->
                    // The test looks at it after the context has ended.
                    definition.setDestroyMethodName(""));

    @Test
    void theRegistryHasTheCallsAndTheStateOfTheNode() {
        runner.run(context -> {
            Contexts.await(context.getBean(Cluster.class).get(Key.of("absent")));
            assertThat(gets()).isEqualTo(1);
            // On a busy machine, the first look may not have the figures of the node in time.
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> registry.get("dht.nodes").gauge().value() == 1);
            assertThat(registry.get("dht.store.entries").gauge().value()).isZero();
        });
    }

    @Test
    void theRegistryHasTheCallsOfAClient() {
        int port = FreePorts.find();
        Contexts.runner().run(node -> {
            Cluster called = node.getBean(Cluster.class);
            try (HttpApi api = HttpApi.listening("127.0.0.1", port, called, HttpApiOptions.defaults())) {
                runner.withPropertyValues("dht4j.remote.addresses=127.0.0.1:" + port, "dht4j.remote.api=http")
                        .run(client -> {
                            Contexts.await(client.getBean(Cluster.class).get(Key.of("absent")));
                            assertThat(gets()).isEqualTo(1);
                        });
                assertThat(api).isNotNull();
            }
        });
    }

    @Test
    void metricsAreBoundAlsoWhereOtherBeansAreLazy() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(registry.find("dht.nodes").gauge()).isNotNull());
    }

    @Test
    void anEndedContextLeavesNoMeters() {
        runner.run(context -> assertThat(registry.getMeters()).isNotEmpty());
        assertThat(registry.getMeters()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "false "})
    void metricsCanBeTurnedOff(String value) {
        Contexts.withSpaces(runner, "dht4j.metrics.enabled", value).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(Observer.class);
            assertThat(registry.getMeters()).isEmpty();
        });
    }

    @Test
    void withoutARegistryThereAreNoMetrics() {
        unmeasured.run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(Cluster.class)
                .doesNotHaveBean(Observer.class)
                .doesNotHaveBean(BoundMetrics.class));
    }

    @Test
    void withoutDhtMicrometerThereAreNoMetrics() {
        runner.withClassLoader(new FilteredClassLoader(MicrometerObserver.class))
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(Cluster.class);
                    assertThat(registry.getMeters()).isEmpty();
                });
    }

    @Test
    void anObserverOfTheApplicationReceivesTheCalls() {
        List<Observer.Call> calls = new CopyOnWriteArrayList<>();
        Observer own = new Observer() {
            @Override
            public void callEnded(Call call, Outcome outcome, long nanos) {
                calls.add(call);
            }
        };
        runner.withBean("own", Observer.class, () -> own).run(context -> {
            Contexts.await(context.getBean(Cluster.class).get(Key.of("absent")));
            assertThat(calls).containsExactly(Observer.Call.GET);
            assertThat(registry.find("dht.calls").timer()).isNull();
            assertThat(registry.find("dht.nodes").gauge()).isNotNull();
        });
    }

    private long gets() {
        return registry.get("dht.calls")
                .tags("kind", "get", "outcome", "SUCCESS")
                .timer()
                .count();
    }
}
