package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class KeyTest {

    @Test
    void aKeyHasOneTo4096Bytes() {
        assertThat(Key.of(new byte[1]).length()).isEqualTo(1);
        assertThat(Key.of(new byte[4096]).length()).isEqualTo(4096);
        assertRefused(() -> Key.of(new byte[0]), "1 to 4096");
        assertRefused(() -> Key.of(new byte[4097]), "4097");
        assertRefused(() -> Key.of(""), "this one has 0");
        assertRefused(() -> Key.of("ä".repeat(2049)), "4098");
        assertThat(Key.of("ä".repeat(2048)).length()).isEqualTo(4096);
    }

    @Test
    void textWithoutAnUtf8FormIsRefused() {
        assertRefused(() -> Key.of("a\uD800b"), "unpaired surrogate");
        assertRefused(() -> Key.of("\uDC00"), "unpaired surrogate");
        assertRefused(() -> Key.of("a?\uDC00\uD800"), "unpaired surrogate");
        assertThat(Key.of("\uD83D\uDE00").length()).isEqualTo(4);
        assertThat(Key.of("a?b").toByteArray()).containsExactly('a', '?', 'b');
        assertThat(Key.of("?\uD83D\uDE00?")).hasToString("?\uD83D\uDE00?");
    }

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(call)
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.KEY_INVALID));
    }

    @Test
    void keysOwnTheirBytes() {
        byte[] bytes = {1, 2, 3};
        Key key = Key.of(bytes);
        bytes[0] = 9;
        key.toByteArray()[1] = 9;
        assertThat(key.unsafeBytes()).containsExactly(1, 2, 3);
        assertThat(Key.copyOfRange(bytes, 1, 3)).isEqualTo(Key.of(new byte[] {2, 3}));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> Key.copyOfRange(bytes, 2, 4));
    }

    @Test
    void keysAreOrderedAsUnsignedBytesShorterFirst() {
        assertThat(Arrays.asList(key(0xFF), key(0x80, 0), key(0x7F, 0xFF), key(0x80), key(0), key(0, 0)).stream()
                        .sorted())
                .containsExactly(key(0), key(0, 0), key(0x7F, 0xFF), key(0x80), key(0x80, 0), key(0xFF));
    }

    @Test
    void equalBytesMakeEqualKeys() {
        assertThat(Key.of("abc"))
                .isEqualTo(Key.of(new byte[] {97, 98, 99}))
                .hasSameHashCodeAs(Key.of(new byte[] {97, 98, 99}))
                .isNotEqualTo(Key.of("abd"))
                .isNotEqualTo("abc");
    }

    @Test
    void nothingLiesBetweenAKeyAndItsSuccessor() {
        assertThat(key(5).successor()).contains(key(5, 0));
        byte[] longest = new byte[4096];
        Arrays.fill(longest, (byte) 0xFF);
        assertThat(Key.of(longest).successor()).isEmpty();
        longest[4095] = 7;
        byte[] next = longest.clone();
        next[4095] = 8;
        assertThat(Key.of(longest).successor()).contains(Key.of(next));
        longest[4095] = (byte) 0xFF;
        longest[10] = 1;
        byte[] shorter = Arrays.copyOf(longest, 11);
        shorter[10] = 2;
        assertThat(Key.of(longest).successor()).contains(Key.of(shorter));
    }

    @Test
    void successorsAreGreaterForKeysOfEveryLength() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[random.nextInt(4) == 0 ? 4096 : 1 + random.nextInt(20)];
            random.nextBytes(bytes);
            Key key = Key.of(bytes);
            assertThat(key.successor())
                    .hasValueSatisfying(
                            next -> assertThat(next).as("seed 1, round").isGreaterThan(key));
        }
    }

    @Test
    void keysShowTheirTextOrBase64() {
        assertThat(Key.of("grün")).hasToString("grün");
        assertThat(key(0xC3)).hasToString("base64:ww==");
        assertThat(key(0xC3).isText()).isFalse();
        assertThat(Key.of("grün").isText()).isTrue();
    }

    @Test
    void aRangeHoldsItsStartAndNotItsEnd() {
        KeyRange range = KeyRange.between(Key.of("b"), Key.of("d"));
        assertThat(range.contains(Key.of("a"))).isFalse();
        assertThat(range.contains(Key.of("b"))).isTrue();
        assertThat(range.contains(Key.of("czzz"))).isTrue();
        assertThat(range.contains(Key.of("d"))).isFalse();
        assertThat(KeyRange.from(Key.of("b")).contains(key(0xFF))).isTrue();
        assertThat(KeyRange.from(Key.of("b")).contains(Key.of("a"))).isFalse();
    }

    @Test
    void theRangeOfAllKeysBeginsWithTheSmallest() {
        assertThat(KeyRange.all().contains(key(0))).isTrue();
        assertThat(KeyRange.all().contains(Key.of(new byte[4096]))).isTrue();
        assertThat(KeyRange.all().contains(key(0xFF, 0xFF))).isTrue();
    }

    @Test
    void aRangeWhoseEndIsItsStartIsEmpty() {
        KeyRange empty = KeyRange.between(Key.of("b"), Key.of("b"));
        assertThat(empty.contains(Key.of("b"))).isFalse();
    }

    @Test
    void aRangeThatEndsBeforeItsStartIsRefused() {
        assertThatThrownBy(() -> KeyRange.between(Key.of("c"), Key.of("a")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("start is c, end is a");
    }

    @Test
    void theRangeOfAPrefixHoldsWhatBeginsWithIt() {
        KeyRange range = KeyRange.prefix(key('a', 0xFF));
        assertThat(range.contains(key('a', 0xFE, 0xFF))).isFalse();
        assertThat(range.contains(key('a', 0xFF))).isTrue();
        assertThat(range.contains(key('a', 0xFF, 0xFF, 0xFF))).isTrue();
        assertThat(range.end()).contains(key('b'));
        assertThat(KeyRange.prefix(key(0xFF, 0xFF)).end()).isEmpty();
        assertThat(KeyRange.prefix(key(0xFF)).contains(key(0xFF, 0xFF))).isTrue();
    }

    private static Key key(int... unsigned) {
        byte[] bytes = new byte[unsigned.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) unsigned[i];
        }
        return Key.of(bytes);
    }

    @Test
    void prefixIsTheFirstEightBytesPaddedWithZeros() {
        assertThat(Key.of(new byte[] {1, (byte) 0xFF}).prefix()).isEqualTo(0x01FF_0000_0000_0000L);
        assertThat(Key.of(new byte[] {-1, 2, 3, 4, 5, 6, 7, 8, 9}).prefix()).isEqualTo(0xFF02_0304_0506_0708L);
    }

    @Test
    void keysThatShareAPrefixAreOrderedByWhatFollows() {
        Key zeros = Key.of(new byte[7]);
        Key moreZeros = Key.of(new byte[9]);
        assertThat(zeros.prefix()).isEqualTo(moreZeros.prefix());
        assertThat(zeros).isLessThan(moreZeros);
        assertThat(Key.of("12345678a")).isLessThan(Key.of("12345678b"));
    }
}
