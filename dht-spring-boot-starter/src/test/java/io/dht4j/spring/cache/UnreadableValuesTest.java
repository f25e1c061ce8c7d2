package io.dht4j.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.spring.boot.Contexts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.cache.Cache;
import tools.jackson.databind.json.JsonMapper;

/** A value that the cache cannot read counts as absent, whichever method meets it, until it is overwritten. */
@Timeout(30)
class UnreadableValuesTest {

    private static final CacheOptions TEXT = CacheOptions.of(CacheSerializer.text());
    private static final String CHANGED_FIELD = "\1{\"isbn\":\"1\",\"pages\":\"many\"}";

    private static Cluster cluster;

    private final List<String> warnings = new ArrayList<>();

    /** A class whose field was a string once. */
    public record Book(String isbn, int pages) {}

    /** What is in the cluster, and the value that is loaded in its place. */
    private record Unreadable(String name, CacheOptions options, String bytes, Object good) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Unreadable> unreadable() {
        String book = Book.class.getName();
        return Stream.of(
                new Unreadable(
                        "a changed field, by Jackson 2",
                        CacheOptions.of(Jackson2Serializer.of(new ObjectMapper(), book)),
                        CHANGED_FIELD,
                        new Book("1", 412)),
                new Unreadable(
                        "a changed field, by Jackson 3",
                        CacheOptions.of(Jackson3Serializer.of(new JsonMapper(), book)),
                        CHANGED_FIELD,
                        new Book("1", 412)),
                new Unreadable("an entry of another program", TEXT, "Dune", "Dune"),
                new Unreadable("bytes that are no UTF-8", TEXT, "\1\u00ff", "Dune"),
                new Unreadable("a null where none is kept", TEXT.withNullValues(false), "\0", "Dune"),
                failing("a cast that fails", () -> {
                    throw new ClassCastException("String is no Book");
                }),
                failing("a class that is missing", () -> {
                    throw new NoClassDefFoundError("com/example/Book");
                }),
                failing("a recursion without end", () -> {
                    throw new StackOverflowError();
                }),
                failing("no value at all", () -> null));
    }

    private static Unreadable failing(String name, Supplier<Object> reading) {
        CacheSerializer serializer = new CacheSerializer() {
            @Override
            public byte[] toBytes(Object value) {
                return CacheSerializer.text().toBytes(value);
            }

            @Override
            public Object fromBytes(byte[] bytes) {
                return bytes.length == 0
                        ? reading.get()
                        : CacheSerializer.text().fromBytes(bytes);
            }
        };
        return new Unreadable(name, CacheOptions.of(serializer), "\1", "Dune");
    }

    @BeforeAll
    static void start() {
        cluster = Contexts.node();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private DhtCache cache(Unreadable value) {
        return new DhtCache("books", cluster, value.options(), Runnable::run, () -> null, warnings::add);
    }

    @BeforeEach
    void clear() {
        new DhtCache("books", cluster, TEXT, Runnable::run, () -> null, warnings::add).clear();
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void readsFindNothingAndLeaveIt(Unreadable value) {
        DhtCache cache = cache(value);
        plant("get", value);
        assertThat(cache.get("get")).isNull();
        plant("type", value);
        assertThat(cache.get("type", value.good().getClass())).isNull();
        plant("retrieve", value);
        assertThat(cache.retrieve("retrieve").join()).isNull();
        assertThat(List.of("get", "type", "retrieve"))
                .allSatisfy(key -> assertThat(isPresent(key)).isTrue());
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void loadsReplaceIt(Unreadable value) {
        DhtCache cache = cache(value);
        plant("loader", value);
        assertThat(cache.get("loader", value::good)).isEqualTo(value.good());
        plant("supplier", value);
        assertThat(cache.retrieve("supplier", () -> CompletableFuture.completedFuture(value.good()))
                        .join())
                .isEqualTo(value.good());
        plant("absent", value);
        assertThat(cache.putIfAbsent("absent", value.good())).isNull();
        assertThat(List.of("loader", "supplier", "absent"))
                .allSatisfy(key -> assertThat(cache.get(key))
                        .satisfies(kept -> assertThat(kept.get()).isEqualTo(value.good())));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void oneWarningNamesCacheKeyAndCause(Unreadable value) {
        DhtCache cache = cache(value);
        for (Object key : Arrays.asList(null, 1, 2)) {
            plant(key, value);
            assertThat(cache.get(key)).isNull();
        }
        assertThat(warnings)
                .singleElement()
                .asString()
                .startsWith("cache books: the value of key " + place(null)
                        + " cannot be read, and counts as absent until it is overwritten: ")
                .doesNotContain("\n", "line:", "reference chain");
    }

    @Test
    void serializersHaveTheClassLoaderOfTheApplication() {
        Set<ClassLoader> seen = ConcurrentHashMap.newKeySet();
        CacheSerializer noting = new CacheSerializer() {
            @Override
            public byte[] toBytes(Object value) {
                seen.add(Thread.currentThread().getContextClassLoader());
                return new byte[0];
            }

            @Override
            public Object fromBytes(byte[] bytes) {
                seen.add(Thread.currentThread().getContextClassLoader());
                return "Dune";
            }
        };
        Thread thread = Thread.currentThread();
        ClassLoader usual = thread.getContextClassLoader();
        ClassLoader application = new ClassLoader(usual) {};
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        try {
            thread.setContextClassLoader(application);
            Cache cache = DhtCacheManager.of(cluster, Map.of("books", CacheOptions.of(noting)))
                    .getCache("books");
            thread.setContextClassLoader(platform);
            cache.put("1", "Dune");
            assertThat(cache.get("1")).isNotNull();
            cache.retrieve("1").join();
            assertThat(seen).containsExactly(application);
            assertThat(thread.getContextClassLoader()).isEqualTo(platform);
        } finally {
            thread.setContextClassLoader(usual);
        }
    }

    private static void plant(Object key, Unreadable value) {
        cluster.put(place(key), value.bytes().getBytes(StandardCharsets.ISO_8859_1))
                .toCompletableFuture()
                .join();
    }

    private static boolean isPresent(Object key) {
        return cluster.get(place(key)).toCompletableFuture().join().isPresent();
    }

    private static Key place(Object key) {
        return Key.of("cache:books:" + CacheKeyFormat.standard().format(key));
    }
}
