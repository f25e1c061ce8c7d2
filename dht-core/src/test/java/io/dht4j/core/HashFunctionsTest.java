package io.dht4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.spi.HashFunction;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HashFunctionsTest {

    private static byte[] counting(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void sipHashGivesThePapersExample() {
        // Appendix A of the paper: key 00..0f, message 00..0e.
        assertThat(HashFunctions.sipHash(counting(16)).hash(counting(15))).isEqualTo(0xa129ca6149be45e5L);
    }

    @Test
    void sipHashGivesItsReferenceVectors() {
        // vectors_sip64 of the authors' reference code, read as little-endian numbers: message 00..(n-1).
        long[] expected = {
            0x726fdb47dd0e0e31L,
            0x74f839c593dc67fdL,
            0x0d6c8009d9a94f5aL,
            0x85676696d7fb7e2dL,
            0xcf2794e0277187b7L,
            0x18765564cd99a68dL,
            0xcbc9466e58fee3ceL,
            0xab0200f58b01d137L,
            0x93f5f5799a932462L,
            0x9e0082df0ba9e4b0L,
            0x7a5dbbc594ddb9f3L,
            0xf4b32f46226bada7L,
            0x751e8fbc860ee5fbL,
            0x14ea5627c0843d90L,
            0xf723ca908e7af2eeL,
            0xa129ca6149be45e5L,
            0x3f2acc7f57c29bdbL
        };
        HashFunction sipHash = HashFunctions.sipHash(counting(16));
        for (int length = 0; length < expected.length; length++) {
            assertThat(sipHash.hash(counting(length))).as("length %d", length).isEqualTo(expected[length]);
        }
    }

    @Test
    void sipHashDependsOnItsKeyAndRefusesOneOfAnotherLength() {
        byte[] key = counting(16);
        HashFunction one = HashFunctions.sipHash(key);
        long before = one.hash(text("key"));
        key[0]++;
        assertThat(one.hash(text("key"))).isEqualTo(before);
        assertThat(HashFunctions.sipHash(key).hash(text("key"))).isNotEqualTo(before);
        assertThatThrownBy(() -> HashFunctions.sipHash(new byte[15]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16 bytes, not 15");
    }

    @Test
    void xxh3AndMurmur3GiveTheirPublishedValues() {
        assertThat(HashFunctions.xxh3().hash(new byte[0])).isEqualTo(0x2d06800538d394c2L);
        // MurmurHash3_x64_128, seed 0, first half.
        assertThat(HashFunctions.murmur3().hash(text("hello"))).isEqualTo(0xcbd8a7b341bd9b02L);
        assertThat(HashFunctions.murmur3().hash(new byte[0])).isZero();
    }

    @Test
    void functionsSpreadNumberedKeysUnlikeTheControl() {
        Map<String, Integer> used = new TreeMap<>();
        for (HashFunction function : new HashFunction[] {
            HashFunctions.xxh3(),
            HashFunctions.murmur3(),
            HashFunctions.sipHash(new byte[16]),
            HashFunctions.stringHashCode()
        }) {
            boolean[] seen = new boolean[1024];
            int count = 0;
            for (int i = 0; i < 100_000; i++) {
                int partition = (int) (function.hash(text("key" + i)) >>> 54);
                count += seen[partition] ? 0 : 1;
                seen[partition] = true;
            }
            used.put(function.name(), count);
        }
        assertThat(used)
                .containsEntry("xxh3", 1024)
                .containsEntry("murmur3", 1024)
                .containsEntry("siphash", 1024);
        assertThat(used.get("string")).isLessThan(512);
    }

    @Test
    void theControlIsTheHashCodeOfTheTextInTheUpperHalf() {
        assertThat(HashFunctions.stringHashCode().hash(text("Straße"))).isEqualTo((long) "Straße".hashCode() << 32);
    }
}
