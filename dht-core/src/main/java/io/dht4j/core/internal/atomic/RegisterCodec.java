package io.dht4j.core.internal.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Executed.Outcome;
import io.dht4j.core.internal.atomic.Register.Kind;
import io.dht4j.spi.Entry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Registers as entries of the store: the version is the ballot at which the register was accepted, the value is the
 * register. No clock drops a present register, since its own expiry is within the value. The entry of an absent one
 * expires after the newest of its operations: so a purge watermark that removes it covers all that it remembers.
 */
public final class RegisterCodec {

    private static final int FORMAT = 1;

    private static final int HEAD_BYTES = 1 + 1 + 8 + 8 + 8 + 2;
    private static final int EXPIRY_AT = 1 + 1 + 8;
    private static final int EXECUTED_BYTES = 8 + 8 + 4 + 8 + 1 + 8;

    /** The largest number of bytes of an encoded register. */
    public static final int MAX_BYTES =
            HEAD_BYTES + Register.MOST_REMEMBERED * EXECUTED_BYTES + AtomicChange.MAX_VALUE_BYTES;

    private static final List<Kind> KINDS = List.of(Kind.values());
    private static final List<Outcome> OUTCOMES = List.of(Outcome.values());

    private RegisterCodec() {}

    /**
     * Returns the entry of a register.
     *
     * @param key its key in the space of registers
     * @param ballot the ballot at which it is accepted
     * @param register the register
     */
    public static Entry entry(Key key, Version ballot, Register register) {
        int size = HEAD_BYTES + register.executed().size() * EXECUTED_BYTES + register.value().length;
        ByteBuffer out = ByteBuffer.allocate(size)
                .put((byte) FORMAT)
                .put((byte) KINDS.indexOf(register.kind()))
                .putLong(register.revision().packed())
                .putLong(register.expiresAtMillis())
                .putLong(register.forgotten().packed())
                .putShort((short) register.executed().size());
        for (Executed each : register.executed()) {
            out.putLong(each.id().uuid().getMostSignificantBits())
                    .putLong(each.id().uuid().getLeastSignificantBits())
                    .putInt(each.change())
                    .putLong(each.at().packed())
                    .put((byte) OUTCOMES.indexOf(each.outcome()))
                    .putLong(each.number());
        }
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
        Kind kind = KINDS.get(index(in.get(), KINDS.size(), "kind"));
        Version revision = new Version(in.getLong());
        long expiry = in.getLong();
        Version forgotten = new Version(in.getLong());
        int count = Short.toUnsignedInt(in.getShort());
        if (count > Register.MOST_REMEMBERED || count * EXECUTED_BYTES > in.remaining()) {
            throw malformed(count + " operations do not fit into " + in.remaining() + " bytes, or are more than "
                    + Register.MOST_REMEMBERED);
        }
        List<Executed> executed = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            executed.add(new Executed(
                    id(in.getLong(), in.getLong()),
                    in.getInt(),
                    new Version(in.getLong()),
                    OUTCOMES.get(index(in.get(), OUTCOMES.size(), "outcome")),
                    in.getLong()));
        }
        byte[] value = new byte[in.remaining()];
        in.get(value);
        if (expiry < 0
                || (kind == Kind.COUNTER && value.length != Long.BYTES)
                || value.length > AtomicChange.MAX_VALUE_BYTES) {
            throw malformed("kind " + kind + " with " + value.length + " bytes, expiry " + expiry);
        }
        return new Register(kind, revision, expiry, forgotten, executed, value);
    }

    private static RequestId id(long high, long low) {
        try {
            return new RequestId(new UUID(high, low));
        } catch (InvalidRequestException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    private static int index(byte value, int bound, String what) {
        if (value < 0 || value >= bound) {
            throw malformed(what + " " + value + ", it is 0 to " + (bound - 1));
        }
        return value;
    }

    private static IllegalArgumentException malformed(String why) {
        return new IllegalArgumentException("no register: " + why);
    }
}
