package io.dht4j.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.spring.boot.Contexts;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.Cache.ValueWrapper;
import tools.jackson.databind.json.JsonMapper;

/** The contract of Spring's {@link Cache}, over a node. */
@Timeout(30)
class DhtCacheTest {

    private static final int CALLERS = 8;
    private static final CacheOptions TEXT = CacheOptions.of(CacheSerializer.text());

    private static Cluster cluster;
    private static ExecutorService callers;

    private final Cache cache = cache("books", TEXT);

    @BeforeAll
    static void start() {
        cluster = Contexts.node();
        callers = Executors.newFixedThreadPool(CALLERS);
    }

    @AfterAll
    static void stop() {
        callers.shutdown();
        cluster.close();
    }

    @BeforeEach
    void clear() {
        cache.clear();
    }

    private static Cache cache(String name, CacheOptions options) {
        return Objects.requireNonNull(
                DhtCacheManager.of(cluster, Map.of(name, options)).getCache(name));
    }

    @Test
    void aValueIsFoundUntilItIsEvicted() {
        assertThat(cache.get("1")).isNull();
        cache.put("1", "Dune");
        assertThat(cache.get("1", String.class)).isEqualTo("Dune");
        cache.evict("1");
        assertThat(cache.get("1")).isNull();
    }

    @Test
    void evictionTellsWhetherThereWasAValue() {
        cache.put("1", "Dune");
        assertThat(cache.evictIfPresent("1")).isTrue();
        assertThat(cache.evictIfPresent("1")).isFalse();
    }

    @Test
    void nullIsAValueOfItsOwn() {
        cache.put("1", null);
        cache.put("2", "");
        assertThat(cache.get("1")).extracting(ValueWrapper::get).isNull();
        assertThat(cache.get("2")).extracting(ValueWrapper::get).isEqualTo("");
    }

    @Test
    void aCacheWithoutNullsRefusesThem() {
        Cache strict = cache("strict", TEXT.withNullValues(false));
        assertThatThrownBy(() -> strict.put("1", null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("strict");
    }

    @Test
    void aValueOfAnotherTypeIsRefusedWithTheNameOfTheCache() {
        Map<String, CacheSerializer> serializers = Map.of(
                "java.lang.String", CacheSerializer.text(),
                "byte[]", CacheSerializer.bytes(),
                "java.lang.Long", Jackson2Serializer.of(new ObjectMapper(), "java.lang.Long"),
                "java.util.List<java.lang.Integer>",
                        Jackson3Serializer.of(new JsonMapper(), "java.util.List<java.lang.Integer>"));
        serializers.forEach((type, serializer) -> assertThatThrownBy(
                        () -> cache("books", CacheOptions.of(serializer)).put("1", 7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cache books: the value is a java.lang.Integer, and the value type is " + type
                        + ": set dht4j.cache.caches.books.value-type to the type of the values"));
    }

    @Test
    void aValueExpires() {
        Cache brief = cache("brief", TEXT.withTimeToLive(Duration.ofMillis(100)));
        brief.put("1", "Dune");
        cache.put("1", "Dune");
        await().atMost(Duration.ofSeconds(20)).until(() -> brief.get("1") == null);
        assertThat(cache.get("1")).isNotNull();
    }

    @Test
    void clearingRemovesTheKeysOfThisCacheOnly() {
        Cache inner = cache("books:new", TEXT);
        Cache next = cache("booksets", TEXT);
        inner.put("1", "Dune");
        next.put("1", "Dune");
        for (int i = 0; i < 150; i++) {
            cache.put(i, "book " + i);
        }
        assertThat(cache.invalidate()).isTrue();
        assertThat(cache.invalidate()).isFalse();
        assertThat(cache.get(149)).isNull();
        assertThat(inner.get("1")).isNotNull();
        assertThat(next.get("1")).isNotNull();
    }

    @Test
    void concurrentCallersLoadOnce() throws Exception {
        AtomicInteger loads = new AtomicInteger();
        List<String> loaded = together(() -> cache.get("1", () -> "load " + loads.incrementAndGet()));
        assertThat(loaded).hasSize(CALLERS).containsOnly("load 1");
        assertThat(cache.get("1", String.class)).isEqualTo("load 1");
    }

    @Test
    void aFailedLoadIsReportedAndTriedAgain() {
        IllegalStateException failure = new IllegalStateException("no such book");
        assertThatThrownBy(() -> cache.get("1", () -> {
                    throw failure;
                }))
                .isInstanceOf(ValueRetrievalException.class)
                .hasCause(failure);
        assertThat(cache.get("1", () -> "Dune")).isEqualTo("Dune");
    }

    @Test
    void aLoadedNullIsKept() {
        AtomicInteger loads = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            assertThat(cache.get("1", () -> {
                        loads.incrementAndGet();
                        return (String) null;
                    }))
                    .isNull();
        }
        assertThat(loads).hasValue(1);
    }

    @Test
    void aCallerDoesNotWaitForALoadForEver() throws Exception {
        Cache impatient = cache("impatient", TEXT.withLoadTimeout(Duration.ofMillis(20)));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        impatient.evict("1");
        Future<String> slow = callers.submit(() -> impatient.get("1", () -> {
            begun.countDown();
            released.await();
            return "slow";
        }));
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(impatient.get("1", () -> "fast")).isEqualTo("fast");
        assertThat(impatient
                        .retrieve("2", () -> CompletableFuture.completedFuture("other"))
                        .join())
                .isEqualTo("other");
        released.countDown();
        assertThat(slow.get(20, TimeUnit.SECONDS)).isEqualTo("slow");
    }

    @Test
    void ofConcurrentCallersOnePutsAnAbsentValue() throws Exception {
        AtomicInteger caller = new AtomicInteger();
        List<String> found = together(() -> {
            String mine = "caller " + caller.incrementAndGet();
            ValueWrapper existing = cache.putIfAbsent("1", mine);
            return existing == null ? "put " + mine : String.valueOf(existing.get());
        });
        String kept = cache.get("1", String.class);
        assertThat(found).containsOnlyOnce("put " + kept);
        assertThat(found.stream().filter(kept::equals)).hasSize(CALLERS - 1);
    }

    @Test
    void asynchronousCallersGetWhatTheOthersGet() {
        assertThat(cache.retrieve("1").join()).isNull();
        cache.put("1", "Dune");
        cache.put("2", null);
        assertThat(cache.retrieve("1").join())
                .asInstanceOf(InstanceOfAssertFactories.type(ValueWrapper.class))
                .extracting(ValueWrapper::get)
                .isEqualTo("Dune");
        assertThat(cache.retrieve("2").join())
                .asInstanceOf(InstanceOfAssertFactories.type(ValueWrapper.class))
                .extracting(ValueWrapper::get)
                .isNull();
    }

    @Test
    void asynchronousCallersLoadOnce() {
        AtomicInteger loads = new AtomicInteger();
        CompletableFuture<String> loading = new CompletableFuture<>();
        List<CompletableFuture<String>> loaded = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            loaded.add(cache.retrieve("1", () -> {
                loads.incrementAndGet();
                return loading;
            }));
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> loads.get() > 0);
        loading.complete("Dune");
        assertThat(loaded).allSatisfy(one -> assertThat(one.join()).isEqualTo("Dune"));
        assertThat(loads).hasValue(1);
        assertThat(cache.get("1", String.class)).isEqualTo("Dune");
    }

    @Test
    void asynchronousCallsUseFewThreads() {
        Set<Long> threads = ConcurrentHashMap.newKeySet();
        cache.put("1", "Dune");
        for (int i = 0; i < 200; i++) {
            cache.retrieve("1")
                    .thenRun(() -> threads.add(Thread.currentThread().getId()))
                    .join();
        }
        // This thread is one of them, where a call has ended before the action is added.
        assertThat(threads).hasSizeLessThan(50);
    }

    @Test
    void anAsynchronousLoadThatFailsIsReported() {
        IllegalStateException failure = new IllegalStateException("no such book");
        assertThatThrownBy(() -> cache.retrieve("1", () -> CompletableFuture.failedFuture(failure))
                        .join())
                .hasCause(failure);
        assertThat(cache.get("1")).isNull();
    }

    @Test
    void aClusterThatDoesNotAnswerFailsACallByItsDeadline() {
        Cluster silent = (Cluster) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Cluster.class},
                (proxy, method, arguments) -> new CompletableFuture<>());
        CacheOptions brief = TEXT.withCalls(CallOptions.defaults().withTimeout(Duration.ofMillis(1)));
        Cache dead = Objects.requireNonNull(
                DhtCacheManager.of(silent, Map.of("dead", brief)).getCache("dead"));
        assertThatThrownBy(() -> dead.get("1")).isInstanceOf(DhtException.class).hasMessageContaining("not answered");
    }

    @Test
    void aFailedCallShowsItsCaller() {
        InvalidRequestException failure = new InvalidRequestException(ErrorCode.BAD_REQUEST, "too large");
        assertThat(failure.getStackTrace()).isEmpty();
        Scan scan = new FailedScan(failure);
        Cluster failing = (Cluster) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Cluster.class},
                (proxy, method, arguments) ->
                        method.getName().equals("scan") ? scan : CompletableFuture.failedFuture(failure));
        Cache cache = Objects.requireNonNull(
                DhtCacheManager.of(failing, Map.of("books", TEXT)).getCache("books"));
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> cache.get("1"),
                () -> cache.put("1", "Dune"),
                () -> cache.get("1", () -> "Dune"),
                () -> cache.putIfAbsent("1", "Dune"),
                () -> cache.evict("1"),
                () -> cache.clear())) {
            assertThatThrownBy(call)
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage("too large")
                    .hasStackTraceContaining("at " + getClass().getName());
        }
    }

    private record FailedScan(RuntimeException failure) implements Scan {
        @Override
        public CompletionStage<List<KeyValue>> next() {
            return CompletableFuture.failedFuture(failure);
        }

        @Override
        public void close() {}
    }

    private static List<String> together(Callable<String> call) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(CALLERS);
        List<Future<String>> running = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            running.add(callers.submit(() -> {
                barrier.await();
                return call.call();
            }));
        }
        List<String> results = new ArrayList<>();
        for (Future<String> one : running) {
            results.add(one.get(20, TimeUnit.SECONDS));
        }
        return results;
    }
}
