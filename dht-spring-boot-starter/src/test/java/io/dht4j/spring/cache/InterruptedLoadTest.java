package io.dht4j.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.Cluster;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.interceptor.SimpleCacheErrorHandler;

/** An interrupt is no failure of the cache, and concerns the thread that was interrupted only. */
@Timeout(30)
class InterruptedLoadTest {

    private final AtomicInteger loads = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final Forgiving handler = new Forgiving();

    private final class Forgiving extends SimpleCacheErrorHandler {
        @Override
        public void handleCacheGetError(RuntimeException failure, org.springframework.cache.Cache cache, Object key) {
            asked.incrementAndGet();
        }
    }

    @AfterEach
    void clearInterrupt() {
        assertThat(Thread.interrupted()).isFalse();
    }

    private String load() {
        return "load " + loads.incrementAndGet();
    }

    private void assertInterrupted(DhtCache cache) {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> cache.get("1", this::load))
                .isInstanceOf(ValueRetrievalException.class)
                .hasRootCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(loads).hasValue(0);
        assertThat(asked).hasValue(0);
    }

    @Test
    void anInterruptedReadEndsTheCall() {
        Cluster silent = (Cluster) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Cluster.class},
                (proxy, method, arguments) -> new CompletableFuture<>());
        assertInterrupted(new DhtCache(
                "books", silent, CacheOptions.of(CacheSerializer.text()), Runnable::run, () -> handler, text -> {}));
    }

    @Test
    void anInterruptedWaitForALoadEndsTheCall() {
        DhtCache cache = AsynchronousLoadTest.cache(Duration.ofSeconds(20), () -> handler);
        CompletableFuture<String> endless = new CompletableFuture<>();
        assertThat(cache.retrieve("1", () -> endless)).isNotDone();
        assertInterrupted(cache);
    }

    @Test
    void aCallerThatWaitsForAnInterruptedOneLoadsForItself() throws Exception {
        DhtCache cache = AsynchronousLoadTest.cache(Duration.ofSeconds(20), () -> null);
        CountDownLatch begun = new CountDownLatch(1);
        Thread first = new Thread(() -> assertThatThrownBy(() -> cache.get("1", () -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return "first";
        })));
        FutureTask<String> second = new FutureTask<>(() -> cache.get("1", () -> "second"));
        CompletableFuture<String> third;
        first.start();
        try {
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            Thread waiting = new Thread(second);
            waiting.start();
            third = cache.retrieve("1", () -> CompletableFuture.completedFuture("third"));
            await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        } finally {
            first.interrupt();
        }
        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo("second");
        assertThat(third.get(20, TimeUnit.SECONDS)).isEqualTo("third");
    }
}
