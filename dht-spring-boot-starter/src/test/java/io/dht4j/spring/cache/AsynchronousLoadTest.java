package io.dht4j.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.Cluster;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.cache.interceptor.LoggingCacheErrorHandler;

/** Loads of futures, in a cluster without entries whose calls end at once: all in the thread of the test. */
@Timeout(30)
class AsynchronousLoadTest {

    private static final int MOST_LOADS = 5;

    private final AtomicInteger loads = new AtomicInteger();
    private final CompletableFuture<String> loading = new CompletableFuture<>();

    static DhtCache cache(Duration loadTimeout, Supplier<@Nullable CacheErrorHandler> handler) {
        Cluster empty = (Cluster) Proxy.newProxyInstance(
                AsynchronousLoadTest.class.getClassLoader(),
                new Class<?>[] {Cluster.class},
                (proxy, method, arguments) ->
                        CompletableFuture.completedFuture(method.getName().equals("get") ? Optional.empty() : null));
        CacheOptions options = CacheOptions.of(CacheSerializer.text()).withLoadTimeout(loadTimeout);
        return new DhtCache("books", empty, options, Runnable::run, handler, text -> {});
    }

    private CompletableFuture<String> load() {
        loads.incrementAndGet();
        return loading;
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new NoSuchElementException("no book"), new TimeoutException("slow"), new AssertionError("impossible"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void thoseWhoWaitFailAsTheLoadDoes(Throwable failure) {
        DhtCache cache = cache(Duration.ofSeconds(20), () -> null);
        CompletableFuture<String> first = cache.retrieve("1", this::load);
        CompletableFuture<String> second = cache.retrieve("1", this::load);
        loading.completeExceptionally(failure);
        assertThat(first)
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .withCause(failure);
        assertThat(second)
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .withCause(failure);
        assertThat(loads).hasValue(1);
    }

    /** As after an eviction, which must not be answered with what was loaded before it. */
    @Test
    void aRetrievalAfterTheResultLoadsAnew() {
        DhtCache cache = cache(Duration.ofSeconds(20), () -> null);
        List<CompletableFuture<String>> again = Stream.of("of the loader", "of those who wait")
                .map(result -> cache.retrieve("1", this::load)
                        .thenCompose(value -> cache.retrieve(
                                "1", () -> CompletableFuture.completedFuture("after the result " + result))))
                .toList();
        loading.complete("first");
        assertThat(again).extracting(CompletableFuture::join).noneMatch("first"::equals);
        assertThat(loads).hasValue(1);
    }

    /** Spring would ask the handler about it, and those who wait would load again. */
    @ParameterizedTest
    @MethodSource("failures")
    void aHandlerIsNotAskedAboutALoadThatFails(Throwable failure) {
        DhtCache cache = cache(Duration.ofSeconds(20), LoggingCacheErrorHandler::new);
        CompletableFuture<String> first = cache.retrieve("1", this::load);
        CompletableFuture<String> second = cache.retrieve("1", this::load);
        loading.completeExceptionally(failure);
        assertThat(Stream.of(first, second)).allSatisfy(one -> {
            Throwable thrown = one.handle((value, error) -> error).join();
            if (failure instanceof RuntimeException) {
                assertThat(thrown).isInstanceOf(ExecutionException.class).hasCause(failure);
            } else {
                assertThat(thrown).isSameAs(failure);
            }
        });
        assertThat(loads).hasValue(1);
    }

    @Test
    void anErrorOfALoaderIsThrownAsItIs() {
        AssertionError failure = new AssertionError("impossible");
        CompletableFuture<String> loaded = cache(Duration.ofSeconds(20), LoggingCacheErrorHandler::new)
                .retrieve("1", () -> {
                    throw failure;
                });
        assertThat(loaded.handle((value, error) -> error)).isCompletedWithValue(failure);
    }

    @Test
    void aFutureEndsAlsoIfTheHandlerCannotBeHad() {
        DhtCache cache = cache(Duration.ofSeconds(20), () -> {
            throw new IllegalStateException("no handler");
        });
        NoSuchElementException failure = new NoSuchElementException("no book");
        assertThat(cache.retrieve("1", () -> CompletableFuture.failedFuture(failure))
                        .handle((value, error) -> error))
                .isCompletedWithValue(failure);
    }

    @Test
    void aLoadThatDoesNotEndIsWaitedForOnce() throws Exception {
        DhtCache cache = cache(Duration.ofMillis(20), () -> null);
        CompletableFuture<String> endless = cache.retrieve("1", this::load);
        assertThat(cache.retrieve("1", () -> CompletableFuture.completedFuture("second"))
                        .get(20, TimeUnit.SECONDS))
                .isEqualTo("second");
        assertThat(cache.retrieve("1", () -> CompletableFuture.completedFuture("third")))
                .isCompletedWithValue("third");
        assertThat(cache.get("1", () -> "fourth")).isEqualTo("fourth");
        assertThat(endless).isNotDone();
    }

    @Test
    void thoseWhoWaitInVainShareOneMoreLoad() {
        DhtCache cache = cache(Duration.ofMillis(20), () -> null);
        CompletableFuture<String> endless = cache.retrieve("1", CompletableFuture::new);
        List<CompletableFuture<String>> waiting =
                Stream.generate(() -> cache.retrieve("1", this::load)).limit(4).toList();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(waiting)
                        .filteredOn(CompletableFuture::isCompletedExceptionally)
                        .hasSize(3));
        assertThat(loads).hasValue(1);
        assertThatThrownBy(() -> cache.get("1", () -> "another"))
                .satisfies(error -> assertThat(isOverdue(error)).isTrue());
        assertThat(cache.putIfAbsent("1", "Dune")).isNull();
        loading.complete("Dune");
        assertThat(waiting)
                .filteredOn(future -> !future.isCompletedExceptionally())
                .singleElement()
                .satisfies(last -> assertThat(last).isCompletedWithValue("Dune"));
        assertThat(cache.get("1", () -> "another")).isEqualTo("another");
        assertThat(endless).isNotDone();
    }

    @Test
    void aLoaderThatWaitsForItselfInAnotherThreadEnds() {
        DhtCache cache = cache(Duration.ofMillis(20), () -> null);
        assertThatThrownBy(() -> waitingForItself(cache))
                .satisfies(error -> assertThat(isOverdue(error)).isTrue());
        assertThat(loads).hasValue(2);
    }

    /** A thread of the common pool that waits for a task may run it itself. */
    private static void inAnotherThread(Runnable task) {
        Thread thread = new Thread(task, "another");
        thread.setDaemon(true);
        thread.start();
    }

    private @Nullable String waitingForItself(DhtCache cache) {
        return cache.get(
                "1",
                () -> loads.incrementAndGet() > MOST_LOADS
                        ? "no end"
                        : CompletableFuture.supplyAsync(
                                        () -> waitingForItself(cache), AsynchronousLoadTest::inAnotherThread)
                                .join());
    }

    @Test
    void aFutureThatWaitsForItselfEnds() {
        DhtCache cache = cache(Duration.ofMillis(20), () -> null);
        assertThat(dependingOnItself(cache))
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .satisfies(error -> assertThat(isOverdue(error)).isTrue());
        assertThat(loads).hasValue(2);
    }

    private CompletableFuture<String> dependingOnItself(DhtCache cache) {
        return cache.retrieve(
                "1",
                () -> loads.incrementAndGet() > MOST_LOADS
                        ? CompletableFuture.completedFuture("no end")
                        : CompletableFuture.supplyAsync(
                                        () -> dependingOnItself(cache), AsynchronousLoadTest::inAnotherThread)
                                .thenCompose(made -> made));
    }

    private static boolean isOverdue(Throwable failure) {
        String message = "cache books: two loads of key 1 have each taken longer than 20ms; perhaps its loader loads "
                + "the same key in another thread and so waits for itself";
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(cause -> cause instanceof IllegalStateException
                        && String.valueOf(cause.getMessage()).startsWith(message));
    }
}
