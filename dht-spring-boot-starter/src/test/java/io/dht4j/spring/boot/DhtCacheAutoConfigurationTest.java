package io.dht4j.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.Cluster;
import io.dht4j.spring.cache.CacheKeyFormat;
import io.dht4j.spring.cache.CacheSerializer;
import io.dht4j.spring.cache.DhtCacheManager;
import io.dht4j.testkit.network.FreePorts;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.cache.interceptor.LoggingCacheErrorHandler;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class DhtCacheAutoConfigurationTest {

    private static final String BOOKS = "dht4j.cache.caches.books.value-type=" + Book.class.getName();

    private final ApplicationContextRunner runner =
            Contexts.runner().withConfiguration(AutoConfigurations.of(DhtCacheAutoConfiguration.class));

    /** A value. */
    public record Book(String isbn, String title) {}

    /** Finds books, slowly as it were. */
    static class Catalogue {
        private final AtomicInteger searches = new AtomicInteger();

        @Cacheable("books")
        public Book find(String isbn) {
            searches.incrementAndGet();
            return new Book(isbn, "Dune");
        }

        @Cacheable("books")
        public Book find(String isbn, int edition) {
            searches.incrementAndGet();
            return new Book(isbn, "Dune " + edition);
        }

        public int searches() {
            return searches.get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching(proxyTargetClass = true)
    static class Library {
        @Bean
        CacheSerializer shouting() {
            return new CacheSerializer() {
                @Override
                public byte[] toBytes(Object value) {
                    return value.toString().toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
                }

                @Override
                public Object fromBytes(byte[] bytes) {
                    return new String(bytes, StandardCharsets.UTF_8);
                }
            };
        }
    }

    @Test
    void twoContextsShareACache() {
        List<Integer> ports = FreePorts.find(2);
        ApplicationContextRunner libraries = runner.withUserConfiguration(Library.class)
                .withBean(Catalogue.class)
                .withPropertyValues(
                        "dht4j.nodes=n1=127.0.0.1:" + ports.get(0) + ",n2=127.0.0.1:" + ports.get(1),
                        // The first one is started without the other.
                        "dht4j.ready-timeout=0",
                        BOOKS);
        libraries
                .withPropertyValues("dht4j.node-id=n1")
                .run(one -> libraries.withPropertyValues("dht4j.node-id=n2").run(two -> {
                    Catalogue first = one.getBean(Catalogue.class);
                    Catalogue second = two.getBean(Catalogue.class);
                    Book found = first.find("1");
                    assertThat(second.find("1")).isEqualTo(found);
                    assertThat(second.searches()).isZero();
                    assertThat(second.find("1", 2)).isEqualTo(new Book("1", "Dune 2"));
                    assertThat(first.find("1", 2)).isEqualTo(new Book("1", "Dune 2"));
                    assertThat(first.searches()).isEqualTo(1);
                }));
    }

    @Test
    void onlyCachesThatAreNamedExist() {
        runner.withPropertyValues("dht4j.cache.names=authors,titles", BOOKS).run(context -> {
            CacheManager manager = context.getBean(CacheManager.class);
            assertThat(manager).isInstanceOf(DhtCacheManager.class);
            assertThat(manager.getCacheNames()).containsExactlyInAnyOrder("authors", "titles", "books");
            assertThat(manager.getCache("others")).isNull();
        });
    }

    @Test
    void managerIsCreatedAtStartDespiteLazyBeans() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withPropertyValues(BOOKS)
                .run(context -> assertThat(context.getBeanFactory().getSingleton("dhtCacheManager"))
                        .isInstanceOf(DhtCacheManager.class));
    }

    @Test
    void withoutNamesThereIsNoManager() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CacheManager.class));
    }

    @Test
    void cachesWithoutNamesAreLoggedAsLocal() {
        Logger logger = (Logger) LoggerFactory.getLogger(DhtAutoConfiguration.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        logger.setLevel(Level.INFO);
        try {
            runner.withPropertyValues(BOOKS).run(context -> assertThat(log.list).isEmpty());
            runner.withBean(CacheManager.class, ConcurrentMapCacheManager::new)
                    .run(context -> assertThat(log.list)
                            .singleElement()
                            .extracting(ILoggingEvent::getFormattedMessage)
                            .asString()
                            .contains("dht4j.cache.names"));
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
    }

    @Test
    void autoConfigurationBacksOffForAnOwnManager() {
        runner.withBean(CacheManager.class, NoOpCacheManager::new)
                .withPropertyValues(BOOKS)
                .run(context ->
                        assertThat(context).hasSingleBean(CacheManager.class).doesNotHaveBean(DhtCacheManager.class));
    }

    @Test
    void aSerializerOfTheApplicationIsTaken() {
        runner.withUserConfiguration(Library.class)
                .withPropertyValues("dht4j.cache.caches.titles.serializer=shouting")
                .run(context -> {
                    Cache titles = cache(context, "titles");
                    titles.put("1", "Dune");
                    assertThat(titles.get("1", String.class)).isEqualTo("DUNE");
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "dht4j.cache.value-type|java.lang.String ",
                "dht4j.cache.caches.books.value-type| java.lang.String",
                "dht4j.cache.caches.books.value-type|byte[] ",
                "dht4j.cache.caches.books.value-type|[B"
            })
    void textsAndBytesAreKeptAsTheyAre(String property, String type) {
        Contexts.withSpaces(runner, property, type)
                .withPropertyValues("dht4j.cache.names=books")
                .run(context -> {
                    cache(context, "books")
                            .put("1", type.contains("String") ? "Dune" : "Dune".getBytes(StandardCharsets.UTF_8));
                    String key = "cache:books:" + CacheKeyFormat.standard().format("1");
                    assertThat(Contexts.get(context.getBean(Cluster.class), key))
                            .contains("\1Dune");
                });
    }

    @Test
    void keysOfTheApplicationsFormatAreTaken() {
        runner.withBean(CacheKeyFormat.class, () -> key -> "same")
                .withPropertyValues("dht4j.cache.names=titles")
                .run(context -> {
                    cache(context, "titles").put("1", "Dune");
                    assertThat(cache(context, "titles").get("2", String.class)).isEqualTo("Dune");
                });
    }

    @Test
    void theHandlerOfTheApplicationDecidesAboutFailedLoads() {
        runner.withUserConfiguration(Library.class)
                .withBean(CachingConfigurer.class, Forgiving::new)
                .withPropertyValues("dht4j.cache.names=books")
                .run(context -> {
                    context.getBean(Cluster.class).close();
                    assertThat(cache(context, "books").get("1", () -> "Dune")).isEqualTo("Dune");
                });
    }

    /** Turns failures of the cache into log messages. */
    static final class Forgiving implements CachingConfigurer {
        @Override
        public CacheErrorHandler errorHandler() {
            return new LoggingCacheErrorHandler();
        }
    }

    private static Cache cache(ApplicationContext context, String name) {
        Cache cache = context.getBean(CacheManager.class).getCache(name);
        assertThat(cache).isNotNull();
        return cache;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dht4j.cache.caches.books.value-type=com.example.None "
                        + "| dht4j.cache.caches.books.value-type: | com.example.None",
                "dht4j.cache.names=books;dht4j.cache.value-type=java.util.List<com.example.None> "
                        + "| dht4j.cache.value-type: | com.example.None",
                "dht4j.cache.caches.books.value-type=java.util.List<java.lang.String "
                        + "| dht4j.cache.caches.books.value-type: | java.util.List<java.lang.String",
                "dht4j.cache.caches.books.value-type=? | dht4j.cache.caches.books.value-type: | com.example.Outer.Inner",
                "dht4j.cache.caches.books.value-type=byte[];dht4j.cache.caches.books.serializer=shouting "
                        + "| dht4j.cache.caches.books.serializer and dht4j.cache.caches.books.value-type contradict "
                        + "| set one of them",
                "dht4j.cache.caches.books.serializer=library "
                        + "| dht4j.cache.caches.books.serializer must be the name of a bean | library",
                "dht4j.cache.caches.books.serializer=none "
                        + "| dht4j.cache.caches.books.serializer must be the name of a bean | none",
                "dht4j.cache.caches.books.time-to-live=0s "
                        + "| dht4j.cache.caches.books.time-to-live must be 1ms to | 0s",
                "dht4j.cache.names=books;dht4j.cache.load-timeout=2h "
                        + "| dht4j.cache.load-timeout must be 1ms to 1h | 2h"
            })
    void invalidPropertiesAreNamedBeforeTheNodeStarts(String properties, String message, String value) {
        AtomicBoolean starting = new AtomicBoolean();
        runner.withBean("library", Library.class)
                .withBean(ClusterBuilderCustomizer.class, () -> builder -> starting.set(true))
                .withPropertyValues(properties.strip().split(";"))
                .run(context -> assertThat(StartFailureTest.analysis(context.getStartupFailure())
                                .getDescription())
                        .contains(message.strip(), value.strip()));
        assertThat(starting).isFalse();
    }

    @Test
    void serializerDeclaredAsObjectIsFound() {
        runner.withBean("hidden", Object.class, () -> new Library().shouting())
                .withPropertyValues("dht4j.cache.caches.titles.serializer=hidden")
                .run(context -> assertThat(cache(context, "titles").get("1", () -> "Dune"))
                        .isEqualTo("Dune"));
    }

    /** A type that remembers which version of Jackson has looked at it first. */
    public static final class Witness {
        static final boolean BY_JACKSON_3 = StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().startsWith("tools.jackson.")));

        private Witness() {}
    }

    @Test
    void theCheckUsesTheVersionOfJacksonThatTheCachesWillUse() {
        runner.withBean(ObjectMapper.class)
                .withPropertyValues("dht4j.cache.caches.books.value-type=" + Witness.class.getTypeName())
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(Witness.BY_JACKSON_3).isFalse();
    }

    @Test
    void withoutJacksonAnotherTypeThanStringIsRefused() {
        runner.withClassLoader(new FilteredClassLoader("tools.jackson", "com.fasterxml.jackson.databind"))
                .withPropertyValues(BOOKS)
                .run(context -> assertThat(StartFailureTest.analysis(context.getStartupFailure())
                                .getDescription())
                        .contains("dht4j.cache.caches.books.value-type", "Jackson is not on the class path"));
    }
}
