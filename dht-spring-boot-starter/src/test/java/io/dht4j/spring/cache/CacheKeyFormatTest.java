package io.dht4j.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.cache.interceptor.SimpleKey;

class CacheKeyFormatTest {

    private final CacheKeyFormat format = CacheKeyFormat.standard();

    @Test
    void unequalKeysHaveUnequalTexts() {
        List<Object> keys = Arrays.asList(
                "1",
                1,
                1L,
                1.0,
                '1',
                "Integer=1",
                true,
                "null",
                TimeUnit.DAYS,
                new UUID(0, 1),
                LocalDate.of(2026, 1, 1),
                SimpleKey.EMPTY,
                new SimpleKey("a, b"),
                new SimpleKey("a", "b"),
                new SimpleKey("a", 1),
                new SimpleKey("a", null),
                new SimpleKey("a", new SimpleKey("b")),
                new SimpleKey("a", new int[] {1, 2}),
                "[2:'a2:'b]");
        assertThat(keys.stream().map(format::format)).doesNotHaveDuplicates();
    }

    @Test
    void equalKeysHaveEqualTexts() {
        assertThat(format.format(new SimpleKey("a", List.of(1, 2))))
                .isEqualTo(format.format(new SimpleKey("a", List.of(1, 2))))
                .isEqualTo("[2:'a24:[9:Integer=19:Integer=2]]");
    }

    @Test
    void aKeyOfAnotherTypeIsRefusedWithARemedy() {
        assertThatThrownBy(() -> format.format(new SimpleKey("a", new Object())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Object")
                .hasMessageContaining("CacheKeyFormat");
    }

    @Test
    void aLongKeyIsReplacedByItsDigest() {
        CacheKeys keys = new CacheKeys("cache:", "books", format, Key.MAX_LENGTH);
        String text = "x".repeat(Key.MAX_LENGTH);
        assertThat(keys.of(text)).isEqualTo(keys.of(text)).isNotEqualTo(keys.of(text + "x"));
        assertThat(keys.all().contains(keys.of(text))).isTrue();
    }
}
