package io.dht4j.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

class JacksonSerializerTest {

    /** A value. */
    public record Book(String isbn, String title) {}

    /** Classes in classes. */
    public static final class Library {
        /** A further one. */
        public record Shelf(String name) {}
    }

    private static final String BOOK = Book.class.getName();

    /** Named, so that a report shows the version. */
    private record Version(String name, Function<String, CacheSerializer> serializers) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Version> versions() {
        return Stream.of(
                new Version("Jackson 2", type -> Jackson2Serializer.of(asOfSpring(), type)),
                new Version("Jackson 3", type -> Jackson3Serializer.of(new JsonMapper(), type)));
    }

    private static ObjectMapper asOfSpring() {
        return new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void valueOfAClassWithAnotherFieldIsNotRead(Version version) {
        CacheSerializer serializer = version.serializers.apply(BOOK);
        byte[] before = "{\"isbn\":\"1\",\"name\":\"Dune\"}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> serializer.fromBytes(before)).hasMessageContaining("name");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aValueComesBackAsItsType(Version version) {
        CacheSerializer serializer = version.serializers.apply(BOOK);
        byte[] bytes = serializer.toBytes(new Book("1", "Dune"));
        assertThat(new String(bytes, StandardCharsets.UTF_8)).contains("\"title\":\"Dune\"");
        assertThat(serializer.fromBytes(bytes)).isEqualTo(new Book("1", "Dune"));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void elementsOfACollectionComeBackAsTheirType(Version version) {
        CacheSerializer serializer = version.serializers.apply("java.util.List<" + BOOK + ">");
        List<Book> books = List.of(new Book("1", "Dune"), new Book("2", "Emma"));
        assertThat(serializer.fromBytes(serializer.toBytes(books))).isEqualTo(books);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aNestedClassHasABinaryAndACanonicalName(Version version) {
        Library.Shelf shelf = new Library.Shelf("a");
        for (String name : List.of(
                "io.dht4j.spring.cache.JacksonSerializerTest$Library$Shelf",
                "io.dht4j.spring.cache.JacksonSerializerTest.Library$Shelf",
                "io.dht4j.spring.cache.JacksonSerializerTest.Library.Shelf")) {
            CacheSerializer one = version.serializers.apply(name);
            assertThat(one.fromBytes(one.toBytes(shelf))).isEqualTo(shelf);
            CacheSerializer map = version.serializers.apply("java.util.Map<java.lang.String, " + name + ">");
            assertThat(map.fromBytes(map.toBytes(Map.of("1", shelf)))).isEqualTo(Map.of("1", shelf));
            CacheSerializer array = version.serializers.apply(name + "[]");
            assertThat(array.fromBytes(array.toBytes(new Library.Shelf[] {shelf})))
                    .isEqualTo(new Library.Shelf[] {shelf});
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aTypeThatDoesNotExistIsRefused(Version version) {
        assertThatThrownBy(() -> version.serializers.apply("com.example.None"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("com.example.None");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void bytesThatAreNoJsonAreRefused(Version version) {
        CacheSerializer serializer = version.serializers.apply(BOOK);
        assertThatThrownBy(() -> serializer.fromBytes("Dune".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(RuntimeException.class);
    }
}
