package io.dht4j.benchmarks.load.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyNamesAndValuesTest {

    @Test
    void eachKeyHasANameOfItsOwn() {
        Set<String> names = new HashSet<>();

        for (long key = 0; key < 100_000; key++) {
            names.add(KeyNames.of(key));
        }

        assertThat(names).hasSize(100_000).allMatch(name -> name.matches("[0-9a-f]{16}"));
    }

    @Test
    void namesDoNotComeInOrder() {
        int ascending = 0;
        for (long key = 0; key < 1000; key++) {
            ascending += KeyNames.of(key).compareTo(KeyNames.of(key + 1)) < 0 ? 1 : 0;
        }

        assertThat(ascending).isBetween(300, 700);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 1024, 100_000, 1 << 20})
    void valuesHaveTheRequestedSizeAndAreRepeatable(int bytes) {
        Values values = new Values(bytes);
        Values again = new Values(bytes);

        for (long key = 0; key < 10_000; key += 997) {
            assertThat(values.of(key)).hasSize(bytes).isEqualTo(again.of(key));
        }
    }

    @Test
    void valuesCannotBeCompressed() {
        Values values = new Values(100);
        Deflater deflater = new Deflater();
        byte[] all = new byte[100 * 1000];
        for (int key = 0; key < 1000; key++) {
            System.arraycopy(values.of(key), 0, all, 100 * key, 100);
        }
        deflater.setInput(all);
        deflater.finish();

        int compressed = deflater.deflate(new byte[2 * all.length]);
        deflater.end();

        assertThat(compressed).isGreaterThan(all.length * 99 / 100);
    }

    @Test
    void aSizeOutOfRangeIsRefused() {
        assertThatThrownBy(() -> new Values(-1)).hasMessageContaining("-1 is not 0 to 16777216");
        assertThatThrownBy(() -> new Values((16 << 20) + 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
