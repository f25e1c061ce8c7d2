package io.dht4j.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.Key;
import io.dht4j.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EntryTest {

    private static final Key KEY = Key.of("k");

    @Test
    void theNewerVersionWinsWhateverItHolds() {
        Entry old = Entry.value(KEY, Version.of(5, 9), new byte[] {9, 9}, Entry.NEVER);
        Entry young = Entry.tombstone(KEY, Version.of(6, 0));
        assertThat(young.supersedes(old)).isTrue();
        assertThat(old.supersedes(young)).isFalse();
        assertThat(Entry.value(KEY, new Version(-1), new byte[0], Entry.NEVER).supersedes(young))
                .as("versions are unsigned")
                .isTrue();
    }

    @Test
    void tieIsDecidedByTombstoneThenBytesThenExpiry() {
        Version v = Version.of(5, 0);
        List<Entry> ascending = List.of(
                Entry.value(KEY, v, new byte[] {1}, 1),
                Entry.value(KEY, v, new byte[] {1}, Long.MAX_VALUE),
                Entry.value(KEY, v, new byte[] {1}, Entry.NEVER),
                Entry.value(KEY, v, new byte[] {1, 0}, 1),
                Entry.value(KEY, v, new byte[] {(byte) 0x80}, 1),
                Entry.tombstone(KEY, v));
        for (int i = 0; i < ascending.size(); i++) {
            for (int j = 0; j < ascending.size(); j++) {
                assertThat(ascending.get(i).supersedes(ascending.get(j)))
                        .as("%s supersedes %s", ascending.get(i), ascending.get(j))
                        .isEqualTo(i > j);
            }
        }
    }

    @Test
    void digestCoversValueExpiryAndTombstoneOnly() {
        Version v = Version.of(5, 0);
        byte[] ninetyNine = new byte[99];
        List<Entry> different = List.of(
                Entry.tombstone(KEY, v),
                Entry.value(KEY, v, new byte[0], Entry.NEVER),
                Entry.value(KEY, v, new byte[0], 1),
                Entry.value(KEY, v, new byte[0], Long.MAX_VALUE),
                Entry.value(KEY, v, new byte[] {0}, Entry.NEVER),
                Entry.value(KEY, v, new byte[] {1}, Entry.NEVER),
                Entry.value(KEY, v, ninetyNine, Entry.NEVER));
        assertThat(different.stream().map(Entry::digest)).doesNotHaveDuplicates();
        Entry same = Entry.value(Key.of("another"), Version.of(6, 1), ninetyNine.clone(), Entry.NEVER);
        assertThat(same.digest()).isEqualTo(different.get(6).digest());
        assertThat(same.digest())
                .as("asked for again")
                .isEqualTo(different.get(6).digest());
    }

    @Test
    void theDigestIsTheSameInEveryReleaseSinceNodesCompareIt() {
        // The CRC-32C of 32 zero bytes, of which the expiry has 8, is 8a9136aa (RFC 3720, B.4).
        assertThat(Entry.value(KEY, Version.of(5, 0), new byte[24], Entry.NEVER).digest())
                .isEqualTo(0x8a9136aa);
    }

    @Test
    void theOrderIsTotalAndTransitive() {
        SplittableRandom random = new SplittableRandom(2);
        for (int round = 0; round < 20_000; round++) {
            Entry a = entry(random);
            Entry b = entry(random);
            Entry c = entry(random);
            if (a.equals(b)) {
                assertThat(a.supersedes(b) || b.supersedes(a))
                        .as("round %d", round)
                        .isFalse();
            } else {
                assertThat(a.supersedes(b)).as("round %d: %s %s", round, a, b).isNotEqualTo(b.supersedes(a));
            }
            if (a.supersedes(b) && b.supersedes(c)) {
                assertThat(a.supersedes(c))
                        .as("round %d: %s %s %s", round, a, b, c)
                        .isTrue();
            }
        }
    }

    @Test
    void mergingIsCommutativeAssociativeAndIdempotent() {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 20_000; round++) {
            Entry a = entry(random);
            Entry b = entry(random);
            Entry c = entry(random);
            assertThat(Entry.newest(a, a)).isEqualTo(a);
            assertThat(Entry.newest(a, b)).as("round %d", round).isEqualTo(Entry.newest(b, a));
            assertThat(Entry.newest(a, Entry.newest(b, c)))
                    .as("round %d", round)
                    .isEqualTo(Entry.newest(Entry.newest(a, b), c));
        }
    }

    @Test
    void anyOrderOfDeliveryWithRepeatsEndsInTheSameEntry() {
        SplittableRandom random = new SplittableRandom(4);
        for (int round = 0; round < 1000; round++) {
            List<Entry> messages = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                messages.add(entry(random));
            }
            Entry expected = messages.stream().reduce(Entry::newest).orElseThrow();
            messages.addAll(messages.subList(0, 4));
            Collections.shuffle(messages, new Random(round));
            assertThat(messages.stream().reduce(Entry::newest))
                    .as("round %d", round)
                    .contains(expected);
        }
    }

    /** Few different parts, so that ties are frequent. */
    private static Entry entry(SplittableRandom random) {
        Version version = Version.of(random.nextInt(2), random.nextInt(2));
        if (random.nextInt(4) == 0) {
            return Entry.tombstone(KEY, version);
        }
        byte[] value = new byte[random.nextInt(3)];
        for (int i = 0; i < value.length; i++) {
            value[i] = (byte) (random.nextBoolean() ? 0x80 : 0x7F);
        }
        return Entry.value(KEY, version, value, random.nextInt(3));
    }

    @Test
    void anEntryIsLiveUntilItsExpiry() {
        Entry expiring = Entry.value(KEY, Version.of(1, 0), new byte[0], 100);
        assertThat(expiring.isLive(99)).isTrue();
        assertThat(expiring.isLive(100)).isFalse();
        assertThat(Entry.value(KEY, Version.of(1, 0), new byte[0], Entry.NEVER).isLive(Long.MAX_VALUE))
                .isTrue();
        assertThat(Entry.tombstone(KEY, Version.of(1, 0)).isLive(0)).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Entry.value(KEY, Version.of(1, 0), new byte[0], -1))
                .withMessageContaining("-1");
    }

    @Test
    void aTombstoneIsNotAnEmptyValue() {
        Entry tombstone = Entry.tombstone(KEY, Version.of(1, 0));
        Entry empty = Entry.value(KEY, Version.of(1, 0), new byte[0], Entry.NEVER);
        assertThat(tombstone).isNotEqualTo(empty);
        assertThat(tombstone.value()).isEmpty();
        assertThat(tombstone.isTombstone()).isTrue();
        assertThat(empty)
                .isEqualTo(Entry.value(KEY, Version.of(1, 0), new byte[0], Entry.NEVER))
                .hasSameHashCodeAs(Entry.value(KEY, Version.of(1, 0), new byte[0], Entry.NEVER));
    }
}
