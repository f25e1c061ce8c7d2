package io.dht4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.ReplicationPolicy;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Tag("jdk")
class DhtAutoConfigurationTest {

    private final ApplicationContextRunner runner = Contexts.runner();

    @Test
    void withoutPropertiesANodeAloneServes() {
        runner.run(context -> {
            Cluster cluster = context.getBean(Cluster.class);
            Contexts.put(cluster, "greeting", "hello");
            assertThat(Contexts.get(cluster, "greeting")).contains("hello");
            assertThat(cluster.topology().nodes())
                    .extracting(node -> node.id().value())
                    .containsExactly("n1");
        });
    }

    @Test
    void theNodeClosesWithTheContext() {
        AtomicReference<Cluster> cluster = new AtomicReference<>();
        runner.run(context -> cluster.set(context.getBean(Cluster.class)));
        assertThatThrownBy(() -> Contexts.get(cluster.get(), "greeting"))
                .isInstanceOf(CompletionException.class)
                .satisfies(error -> assertThat(((DhtException) DhtException.unwrap(error)).code())
                        .isEqualTo(ErrorCode.NOT_SERVING));
    }

    @Test
    void aContextThatIsClosedInAnActionClosesTheNode(@TempDir Path directory) {
        ApplicationContextRunner durable = runner.withPropertyValues(
                "dht4j.store.directory=" + directory.resolve("n1"), "dht4j.transport.port=" + FreePorts.find());
        durable.run(context -> {
            Cluster cluster = context.getBean(Cluster.class);
            Contexts.await(cluster.put(Key.of("greeting"), new byte[1]).thenRun(context::close));
        });
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> durable.run(context -> assertThat(context).hasNotFailed()));
    }

    @Test
    void entriesInADirectorySurviveARestart(@TempDir Path directory) {
        ApplicationContextRunner durable = runner.withPropertyValues(
                "dht4j.store.directory=" + directory.resolve("n1"), "dht4j.store.durability=fsync");
        durable.run(context -> Contexts.put(context.getBean(Cluster.class), "greeting", "hello"));
        durable.run(context -> assertThat(Contexts.get(context.getBean(Cluster.class), "greeting"))
                .contains("hello"));
    }

    @Test
    void itBacksOffForAClusterOfTheApplication() {
        runner.withBean("own", Cluster.class, Contexts::node).run(context -> {
            assertThat(context).hasSingleBean(Cluster.class);
            assertThat(context.getBean(Cluster.class)
                            .topology()
                            .nodes()
                            .get(0)
                            .id()
                            .value())
                    .isEqualTo("own");
        });
    }

    @Test
    void aNodeIsReachedOverHttpByItsPublicHosts() {
        int port = FreePorts.find();
        runner.withPropertyValues(
                        "dht4j.transport.type=http",
                        "dht4j.transport.port=" + port,
                        "dht4j.transport.public-hosts=kv.example,KV2.example")
                .run(context -> {
                    assertThat(statusOfFrame(port, "kv.example")).isNotEqualTo(421);
                    assertThat(statusOfFrame(port, "kv2.example:80")).isNotEqualTo(421);
                    assertThat(statusOfFrame(port, "other.example")).isEqualTo(421);
                });
    }

    private static int statusOfFrame(int port, String host) throws IOException {
        try (RawHttp raw = new RawHttp(port)) {
            return raw.send("POST /peer/v1/frame HTTP/1.1\r\nHost: " + host
                            + "\r\nDht-Deadline-Micros: 30000000\r\nContent-Length: 5\r\n\r\nframe")
                    .read()
                    .status();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "false "})
    void itCanBeTurnedOff(String value) {
        Contexts.withSpaces(runner, "dht4j.enabled", value)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Cluster.class));
    }

    @Test
    void spacesAroundATextChangeNothing() {
        assertThat(bound("dht4j", DhtProperties.class, " x ")).isEqualTo(bound("dht4j", DhtProperties.class, "x"));
        assertThat(bound("dht4j.cache", DhtCacheProperties.class, " x "))
                .isEqualTo(bound("dht4j.cache", DhtCacheProperties.class, "x"));
    }

    /** Returns properties, all of whose texts are the same, but for the prefix of keys. */
    private static <T> T bound(String prefix, Class<T> type, String text) {
        Map<String, String> values = texts(prefix, type).collect(Collectors.toMap(name -> name, name -> text));
        values.remove("dht4j.cache.key-prefix");
        values.put("dht4j.transport.type", "http");
        return new Binder(new MapConfigurationPropertySource(values))
                .bind(prefix, type)
                .get();
    }

    private static Stream<String> texts(String group, Class<?> type) {
        return Stream.of(type.getRecordComponents()).flatMap(component -> {
            String name = group + "." + DataObjectPropertyName.toDashedForm(component.getName());
            Class<?> of = component.getType();
            if (of == Map.class) {
                return texts(name + ".books", DhtCacheProperties.Settings.class);
            }
            return of.isRecord()
                    ? texts(name, of)
                    : Stream.of(name + (of == List.class ? "[0]" : ""))
                            .filter(text -> of == String.class || of == List.class);
        });
    }

    @Test
    void customizersSetFurtherOptions() {
        runner.withBean("first", ClusterBuilderCustomizer.class, () -> builder -> builder.partitions(8))
                .run(context -> assertThat(Contexts.await(context.getBean(Cluster.class)
                                        .operations()
                                        .status())
                                .partitions())
                        .isEqualTo(8));
    }

    @Test
    void aNodeStartsAlsoWhereOtherBeansAreLazy() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context.getBeanFactory().getSingleton("dhtCluster"))
                        .isInstanceOf(Cluster.class));
    }

    @Test
    void callOptionsHavePolicyAndTimeoutOfTheProperties() {
        runner.withPropertyValues("dht4j.calls.ack=1", "dht4j.calls.from=1", "dht4j.calls.timeout=3s")
                .run(context -> {
                    CallOptions options = context.getBean(CallOptions.class);
                    assertThat(options.policy()).contains(new ReplicationPolicy(1, 1));
                    assertThat(options.timeout()).contains(Duration.ofSeconds(3));
                });
    }

    /** Web servers start and stop in a phase of their own, as this bean does. */
    static final class WebServerPhase implements SmartLifecycle {
        private final Cluster cluster;
        private final List<String> served = new ArrayList<>();
        private boolean running;

        WebServerPhase(Cluster cluster) {
            this.cluster = cluster;
        }

        @Override
        public void start() {
            running = true;
            Contexts.put(cluster, "greeting", "hello");
            served.add("at the start");
        }

        @Override
        public void stop() {
            running = false;
            Contexts.get(cluster, "greeting").ifPresent(value -> served.add("at the end"));
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return Integer.MAX_VALUE - 2048;
        }
    }

    @Test
    void theNodeServesBeforeWebServersStartAndAfterTheyStop() {
        AtomicReference<List<String>> served = new AtomicReference<>();
        runner.withUserConfiguration(WebServer.class)
                .run(context -> served.set(context.getBean(WebServerPhase.class).served));
        assertThat(served.get()).containsExactly("at the start", "at the end");
    }

    @Test
    void aWebServerWaitsUntilTheClusterIsReady() {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        Cluster node = Contexts.node();
        Cluster starting = (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("ready")) {
                        asked.countDown();
                        return ready;
                    }
                    return method.invoke(node, arguments);
                });
        AtomicReference<List<String>> served = new AtomicReference<>(List.of());
        CompletableFuture<Void> application =
                CompletableFuture.runAsync(() -> runner.withBean("own", Cluster.class, () -> starting)
                        .withUserConfiguration(WebServer.class)
                        .run(context -> served.set(context.getBean(WebServerPhase.class).served)));
        try {
            Contexts.await(CompletableFuture.runAsync(() -> awaitQuietly(asked)));
            assertThat(served.get()).isEmpty();
        } finally {
            ready.complete(null);
        }
        Contexts.await(application);
        assertThat(served.get()).contains("at the start");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aWebServerWaitsForTheOtherNodesForABoundedTimeOnly() {
        List<Integer> ports = FreePorts.find(3);
        runner.withPropertyValues(
                        "dht4j.node-id=n1",
                        "dht4j.nodes=n1=127.0.0.1:" + ports.get(0) + ",n2=127.0.0.1:" + ports.get(1) + ",n3=127.0.0.1:"
                                + ports.get(2),
                        "dht4j.ready-timeout=50ms")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Cluster.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class WebServer {
        @Bean
        WebServerPhase webServerPhase(Cluster cluster) {
            return new WebServerPhase(cluster);
        }
    }
}
