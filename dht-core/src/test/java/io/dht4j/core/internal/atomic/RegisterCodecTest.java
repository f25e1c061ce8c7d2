package io.dht4j.core.internal.atomic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Executed.Outcome;
import io.dht4j.core.internal.atomic.Register.Kind;
import io.dht4j.spi.Entry;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegisterCodecTest {

    private static final Key KEY = AtomicSpace.key("orders", Key.of("k"));
    private static final Version BALLOT = new Version(77);

    private static final Register REGISTER = new Register(
            Kind.VALUE,
            new Version(5),
            1_234,
            new Version(3),
            List.of(
                    new Executed(RequestId.of(3, -1, 2), -7, new Version(4), Outcome.CONDITION_FAILED, 0),
                    new Executed(RequestId.of(4, 8, 9), 7, new Version(5), Outcome.DONE, -6)),
            new byte[] {1, 2, 3});

    @Test
    void registersAreRead() {
        Entry entry = RegisterCodec.entry(KEY, BALLOT, REGISTER);
        assertThat(entry.version()).isEqualTo(BALLOT);
        assertThat(entry.expiresAtMillis()).isEqualTo(Entry.NEVER);
        Register read = RegisterCodec.register(entry);
        assertThat(read).usingRecursiveComparison().isEqualTo(REGISTER);
    }

    @Test
    void aRegisterThatIsReadRemembersAndForgetsAsBefore() {
        Register kept = REGISTER;
        Register read = REGISTER;
        for (int i = 0; i < 3 * Register.REMEMBERED; i++) {
            if (i % 3 == 0) {
                read = RegisterCodec.register(RegisterCodec.entry(KEY, BALLOT, read));
            }
            long millis = (i + 1) * Register.REMEMBERED_MILLIS;
            Executed latest = new Executed(RequestId.of(millis, i, i), i, Version.of(millis, 0), Outcome.CREATED, i);
            kept = kept.remembering(latest);
            read = read.remembering(latest);
            assertThat(read).isEqualTo(kept);
            assertThat(read.newest()).isEqualTo(latest.at());
            for (Executed each : kept.executed()) {
                assertThat(read.find(each.id(), Register.NEVER_CHANGED)).contains(each);
            }
            boolean isRemembered = REGISTER.executed().size() + i < Register.REMEMBERED;
            assertThat(read.find(REGISTER.executed().get(0).id(), Register.NEVER_CHANGED)
                            .isPresent())
                    .isEqualTo(isRemembered);
        }
        assertThat(read.executed()).hasSize(Register.REMEMBERED);
    }

    @Test
    void absentRegistersExpireAtOnce() {
        Register absent = Register.absent(new Version(9));
        Entry entry = RegisterCodec.entry(KEY, BALLOT, absent);
        assertThat(entry.expiresAtMillis()).isEqualTo(1);
        assertThat(RegisterCodec.register(entry)).usingRecursiveComparison().isEqualTo(absent);
    }

    @Test
    void damagedRegistersAreRefused() {
        byte[] whole = RegisterCodec.entry(KEY, BALLOT, REGISTER).value();
        for (int length = 0; length < whole.length - REGISTER.value().length; length++) {
            assertRefused(Arrays.copyOf(whole, length));
        }
        for (int at : new int[] {0, 1, 10, 26}) {
            byte[] damaged = whole.clone();
            damaged[at] = (byte) 0x90;
            assertRefused(damaged);
        }
    }

    private static void assertRefused(byte[] value) {
        assertThatThrownBy(() -> RegisterCodec.register(Entry.value(KEY, BALLOT, value, Entry.NEVER)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("no register: ");
    }

    @Test
    void keysOfMapsAreInTheirOwnSpace() {
        assertThat(AtomicSpace.contains(KEY)).isTrue();
        assertThat(AtomicSpace.contains(Key.of("A"))).isFalse();
        assertThat(AtomicSpace.contains(Key.of(new byte[] {0}))).isFalse();
        assertThat(AtomicSpace.contains(Key.of("\0atomic."))).isFalse();
        assertThat(AtomicSpace.key("a", Key.of("bc"))).isNotEqualTo(AtomicSpace.key("ab", Key.of("c")));
    }

    @Test
    void namesAndKeysHaveBounds() {
        assertThatThrownBy(() -> AtomicSpace.key("", Key.of("k")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("the name of a map has 1 to 255 bytes in UTF-8, not 0");
        assertThatThrownBy(() -> AtomicSpace.key("é".repeat(128), Key.of("k"))).hasMessageEndingWith("not 256");
        assertThatThrownBy(() -> AtomicSpace.key("m", Key.of(new byte[Key.MAX_LENGTH - 9])))
                .hasMessage("a key of map m has at most 4086 bytes, this one has 4087");
    }
}
