package io.dht4j.core.internal.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Register.Kind;
import io.dht4j.spi.Entry;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Registers as entries of the store: the version is the ballot at which the register was accepted, the value is the
 * register. No clock drops a present register, since its own expiry is within the value. The entry of an absent one
 * expires after the newest of its operations: so a purge watermark that removes it covers all that it remembers.
 */
public final class RegisterCodec {

    private static final int FORMAT = 1;

    private static final int HEAD_BYTES = 1 + 1 + 8 + 8 + 8 + 2;
    private static final int EXPIRY_AT = 1 + 1 + 8;

    /** The largest number of bytes of an encoded register. */
    public static final int MAX_BYTES =
            HEAD_BYTES + Register.MOST_REMEMBERED * ExecutedList.BYTES_EACH + AtomicChange.MAX_VALUE_BYTES;

    private static final List<Kind> KINDS = List.of(Kind.values());

    private RegisterCodec() {}

    /**
     * Returns the entry of a register.
     *
     * @param key its key in the space of registers
     * @param ballot the ballot at which it is accepted
     * @param register the register
     */
    public static Entry entry(Key key, Version ballot, Register register) {
        int size = HEAD_BYTES + register.executed().size() * ExecutedList.BYTES_EACH + register.value().length;
        ByteBuffer out = ByteBuffer.allocate(size)
                .put((byte) FORMAT)
                .put((byte) KINDS.indexOf(register.kind()))
                .putLong(register.revision().packed())
                .putLong(register.expiresAtMillis())
                .putLong(register.forgotten().packed())
                .putShort((short) register.executed().size());
        register.operations().write(out);
        out.put(register.value());
        return Entry.value(
                key,
                ballot,
                out.array(),
                register.isPresent() ? Entry.NEVER : register.newest().millis() + 1);
    }

    /**
     * Returns whether an entry is a register that {@linkplain Register#isExpired has expired}.
     *
     * @param entry any entry
     * @param nowMillis milliseconds since 1970
     */
    public static boolean isExpired(Entry entry, long nowMillis) {
        if (!AtomicSpace.contains(entry.key()) || entry.isTombstone() || entry.value().length < HEAD_BYTES) {
            return false;
        }
        long expiry = ByteBuffer.wrap(entry.value()).getLong(EXPIRY_AT);
        // An absent one never expires.
        return expiry != Entry.NEVER && expiry <= nowMillis;
    }

    /**
     * Returns the register of an entry. A tombstone, of a plain key that an earlier version has deleted, is an absent
     * register.
     *
     * @param entry an entry in the space of registers
     * @throws IllegalArgumentException if it is no register of a format that this version reads, with the reason for
     *     people
     */
    public static Register register(Entry entry) {
        if (entry.isTombstone()) {
            return Register.absent(entry.version());
        }
        ByteBuffer in = ByteBuffer.wrap(entry.value());
        if (in.remaining() < HEAD_BYTES) {
            throw malformed("it has " + in.remaining() + " bytes, at least " + HEAD_BYTES + " are needed");
        }
        int format = in.get();
        if (format != FORMAT) {
            throw malformed("format " + format + ", this version reads " + FORMAT);
        }
        Kind kind = kind(in.get());
        Version revision = new Version(in.getLong());
        long expiry = in.getLong();
        Version forgotten = new Version(in.getLong());
        int count = Short.toUnsignedInt(in.getShort());
        if (count > Register.MOST_REMEMBERED || count * ExecutedList.BYTES_EACH > in.remaining()) {
            throw malformed(count + " operations do not fit into " + in.remaining() + " bytes, or are more than "
                    + Register.MOST_REMEMBERED);
        }
        ExecutedList executed = operations(in, count);
        byte[] value = new byte[in.remaining()];
        in.get(value);
        if (expiry < 0
                || (kind == Kind.COUNTER && value.length != Long.BYTES)
                || value.length > AtomicChange.MAX_VALUE_BYTES) {
            throw malformed("kind " + kind + " with " + value.length + " bytes, expiry " + expiry);
        }
        return new Register(kind, revision, expiry, forgotten, executed, value);
    }

    private static ExecutedList operations(ByteBuffer in, int count) {
        try {
            return ExecutedList.read(in, count);
        } catch (IllegalArgumentException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    private static Kind kind(byte value) {
        if (value < 0 || value >= KINDS.size()) {
            throw malformed("kind " + value + ", it is 0 to " + (KINDS.size() - 1));
        }
        return KINDS.get(value);
    }

    private static IllegalArgumentException malformed(String why) {
        return new IllegalArgumentException("no register: " + why);
    }
}
