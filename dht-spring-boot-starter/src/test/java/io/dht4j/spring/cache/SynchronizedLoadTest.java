package io.dht4j.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.spring.boot.Contexts;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueWrapper;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Methods with {@code sync = true}, whose cache fails or who call themselves. */
@Timeout(30)
class SynchronizedLoadTest {

    private static Cluster node;

    private final Outage outage = new Outage();

    /** How a method returns what it has found. */
    enum Form {
        VALUE {
            @Override
            String find(Catalogue catalogue, Object key) {
                return catalogue.find(key);
            }
        },
        FUTURE {
            @Override
            String find(Catalogue catalogue, Object key) {
                try {
                    return catalogue.findLater(key).join();
                } catch (CompletionException e) {
                    throw (RuntimeException) DhtException.unwrap(e);
                }
            }
        };

        abstract String find(Catalogue catalogue, Object key);
    }

    /** Finds books. */
    static class Catalogue {
        private int searches;
        private Function<Object, String> search = key -> "Dune";

        @Cacheable(cacheNames = "books", sync = true)
        public String find(Object key) {
            return searched(key);
        }

        @Cacheable(cacheNames = "books", sync = true)
        public CompletableFuture<String> findLater(Object key) {
            return CompletableFuture.completedFuture(searched(key));
        }

        @Cacheable(cacheNames = "books", sync = true)
        public CompletableFuture<String> findNone(Object key) {
            searches++;
            return CompletableFuture.failedFuture(new NoSuchElementException("no book " + key));
        }

        private String searched(Object key) {
            searches++;
            return search.apply(key);
        }

        public void search(Function<Object, String> how) {
            search = how;
        }

        public int searches() {
            return searches;
        }
    }

    /** A cluster that fails on demand, and what the handler was asked; it throws what is not to be forgiven. */
    static final class Outage implements CacheErrorHandler {
        private boolean reads;
        private boolean writes;
        private boolean forgivesReads = true;
        private boolean forgivesWrites = true;
        private final List<String> asked = new ArrayList<>();

        Cluster cluster() {
            return (Cluster) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                        if (reads && method.getName().equals("get")
                                || writes && method.getName().equals("put")) {
                            return CompletableFuture.failedFuture(DhtException.of(ErrorCode.NOT_SERVING, "outage"));
                        }
                        try {
                            return method.invoke(node, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        private void ask(String what, boolean forgives, RuntimeException failure) {
            asked.add(what);
            if (!forgives) {
                throw new IllegalArgumentException("strict about " + what, failure);
            }
        }

        @Override
        public void handleCacheGetError(RuntimeException failure, Cache cache, Object key) {
            ask("get", forgivesReads, failure);
        }

        @Override
        public void handleCachePutError(RuntimeException failure, Cache cache, Object key, @Nullable Object value) {
            ask("put", forgivesWrites, failure);
        }

        @Override
        public void handleCacheEvictError(RuntimeException failure, Cache cache, Object key) {
            throw failure;
        }

        @Override
        public void handleCacheClearError(RuntimeException failure, Cache cache) {
            throw failure;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching(proxyTargetClass = true)
    static class Library implements CachingConfigurer {
        private final @Nullable CacheErrorHandler handler;
        private final Cluster cluster;

        Library(ObjectProvider<CacheErrorHandler> handler, Cluster cluster) {
            this.handler = handler.getIfAvailable();
            this.cluster = cluster;
        }

        @Bean
        @Override
        public DhtCacheManager cacheManager() {
            CacheOptions options = CacheOptions.of(CacheSerializer.text());
            CacheOptions brief = new CacheOptions(
                    options.serializer(),
                    options.keyFormat(),
                    options.keyPrefix(),
                    options.calls(),
                    options.timeToLive(),
                    options.nullValues(),
                    Duration.ofSeconds(1),
                    options.clearTimeout(),
                    options.atomic());
            return DhtCacheManager.of(cluster, Map.of("books", brief), this::errorHandler);
        }

        @Override
        public @Nullable CacheErrorHandler errorHandler() {
            return handler;
        }
    }

    @BeforeAll
    static void start() {
        node = Contexts.node();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void clear() {
        new DhtCache("books", node, CacheOptions.of(CacheSerializer.text()), Runnable::run, () -> null, text -> {})
                .clear();
    }

    private AnnotationConfigApplicationContext library(@Nullable CacheErrorHandler handler) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getBeanFactory().registerSingleton("cluster", outage.cluster());
        if (handler != null) {
            context.getBeanFactory().registerSingleton("handler", handler);
        }
        context.register(Library.class, Catalogue.class);
        context.refresh();
        return context;
    }

    @ParameterizedTest
    @EnumSource
    void anOutageThatTheHandlerForgivesIsNotSeen(Form form) {
        outage.reads = true;
        outage.writes = true;
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            assertThat(form.find(catalogue, "1")).isEqualTo("Dune");
            assertThat(catalogue.searches()).isEqualTo(1);
            assertThat(outage.asked).containsExactly("get", "put");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFailedWriteThatTheHandlerForgivesIsNotSeen(Form form) {
        outage.writes = true;
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            assertThat(form.find(catalogue, "1")).isEqualTo("Dune");
            assertThat(catalogue.searches()).isEqualTo(1);
            assertThat(outage.asked).containsExactly("put");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMethodThatFailsInAnOutageFailsWithItsOwnException(Form form) {
        outage.reads = true;
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            catalogue.search(key -> {
                throw new NoSuchElementException("no book " + key);
            });
            assertThatThrownBy(() -> form.find(catalogue, "1"))
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessage("no book 1");
            assertThat(catalogue.searches()).isEqualTo(1);
        }
    }

    @Test
    void aMethodWhoseFutureFailsIsNoFailureOfTheCache() {
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            assertThatThrownBy(() -> catalogue.findNone("1").join())
                    .hasRootCauseInstanceOf(NoSuchElementException.class);
            assertThat(catalogue.searches()).isEqualTo(1);
            assertThat(outage.asked).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aHandlerThatIsStrictAboutReadsPreventsTheCall(Form form) {
        outage.reads = true;
        outage.forgivesReads = false;
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            assertThatThrownBy(() -> form.find(catalogue, "1")).hasMessage("strict about get");
            assertThat(catalogue.searches()).isZero();
            assertThat(outage.asked).containsExactly("get");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aHandlerThatIsStrictAboutWritesIsAskedOnce(Form form) {
        outage.writes = true;
        outage.forgivesWrites = false;
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            assertThatThrownBy(() -> form.find(catalogue, "1")).hasMessage("strict about put");
            assertThat(catalogue.searches()).isEqualTo(1);
            assertThat(outage.asked).containsExactly("put");
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutAHandlerTheOutageIsThrown(Form form) {
        try (AnnotationConfigApplicationContext library = library(null)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            outage.reads = true;
            assertThatThrownBy(() -> form.find(catalogue, "1")).isInstanceOf(DhtException.class);
            assertThat(catalogue.searches()).isZero();
            outage.reads = false;
            outage.writes = true;
            assertThatThrownBy(() -> form.find(catalogue, "1")).isInstanceOf(DhtException.class);
            assertThat(catalogue.searches()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aKeyWithoutATextIsAFailedReadToo(Form form) {
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            assertThat(form.find(catalogue, new Object())).isEqualTo("Dune");
            catalogue.search(key -> {
                throw new NoSuchElementException("no book");
            });
            assertThatThrownBy(() -> form.find(catalogue, new Object())).isInstanceOf(NoSuchElementException.class);
            assertThat(catalogue.searches()).isEqualTo(2);
            assertThat(outage.asked).containsExactly("get", "get");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMethodThatLoadsItsOwnKeyIsRefused(Form form) {
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            catalogue.search(key -> catalogue.searches() > 1 ? "Dune" : form.find(catalogue, key));
            assertThatThrownBy(() -> form.find(catalogue, "1"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("cache books: the loader of key 1 loads the same key, so it would wait for itself");
            assertThat(catalogue.searches()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMethodMayLoadAnotherKey(Form form) {
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Catalogue catalogue = library.getBean(Catalogue.class);
            catalogue.search(key -> key.equals("1") ? "Dune" : form.find(catalogue, "1"));
            assertThat(form.find(catalogue, "2")).isEqualTo("Dune");
            assertThat(catalogue.searches()).isEqualTo(2);
        }
    }

    @Test
    void aLoaderMayPutAndReadItsOwnKey() {
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Cache books = library.getBean(DhtCacheManager.class).getCache("books");
            assertThat(books).isNotNull();
            String loaded = books.get("1", () -> {
                assertThat(books.putIfAbsent("1", "Dune")).isNull();
                assertThat(books.putIfAbsent("1", "Emma"))
                        .extracting(ValueWrapper::get)
                        .isEqualTo("Dune");
                assertThat(books.get("1", () -> "Emma")).isEqualTo("Dune");
                return books.retrieve("1", () -> CompletableFuture.completedFuture("Emma"))
                        .join();
            });
            assertThat(loaded).isEqualTo("Dune");
        }
    }

    @Test
    void aLoaderThatLoadsItsOwnKeyByAnotherMethodIsRefused() {
        try (AnnotationConfigApplicationContext library = library(outage)) {
            Cache books = library.getBean(DhtCacheManager.class).getCache("books");
            assertThat(books).isNotNull();
            assertThatThrownBy(() -> books.get(
                            "1",
                            () -> books.retrieve("1", () -> CompletableFuture.completedFuture("Dune"))
                                    .join()))
                    .hasRootCauseInstanceOf(IllegalStateException.class);
            assertThat(books.get("1", () -> "Emma")).isEqualTo("Emma");
        }
    }
}
