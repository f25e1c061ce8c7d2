package io.dht4j.core.internal.atomic;

import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Executed.Outcome;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import java.util.UUID;

/**
 * The operations that a register remembers, the oldest first. Those that came with the register's entry stay encoded: a
 * round searches them and passes them on, and needs hardly any of them as an object. Immutable.
 */
final class ExecutedList extends AbstractList<Executed> implements RandomAccess {

    /** The length of an encoded operation. */
    static final int BYTES_EACH = 8 + 8 + 4 + 8 + 1 + 8;

    private static final int CHANGE_AT = 16;
    private static final int VERSION_AT = 20;
    private static final int OUTCOME_AT = 28;
    private static final int NUMBER_AT = 29;

    /** Those of a {@link RequestId}. */
    private static final int ID_VERSION = 7;

    private static final int ID_VARIANT = 2;

    private static final List<Outcome> OUTCOMES = List.of(Outcome.values());
    private static final Executed[] NONE = {};

    private final ByteBuffer encoded;
    /** The place of the first encoded operation. */
    private final int start;

    private final int encodedCount;
    private final Executed[] later;

    private ExecutedList(ByteBuffer encoded, int start, int encodedCount, Executed[] later) {
        this.encoded = encoded;
        this.start = start;
        this.encodedCount = encodedCount;
        this.later = later;
    }

    /** Returns a list of the same operations. */
    static ExecutedList copyOf(List<Executed> operations) {
        return operations instanceof ExecutedList same
                ? same
                : new ExecutedList(ByteBuffer.allocate(0), 0, 0, operations.toArray(NONE));
    }

    /**
     * Reads encoded operations, and moves behind them.
     *
     * @param in has enough bytes, which must not change any more
     * @throws IllegalArgumentException if one is malformed, with the reason for people
     */
    static ExecutedList read(ByteBuffer in, int count) {
        ExecutedList read = new ExecutedList(in.duplicate(), in.position(), count, NONE);
        for (int i = 0; i < count; i++) {
            int at = read.place(i);
            UUID id = new UUID(in.getLong(at), in.getLong(at + Long.BYTES));
            if (id.version() != ID_VERSION || id.variant() != ID_VARIANT) {
                throw new IllegalArgumentException("operation " + id + ", whose id is no UUID of version 7");
            }
            int outcome = in.get(at + OUTCOME_AT);
            if (outcome < 0 || outcome >= OUTCOMES.size()) {
                throw new IllegalArgumentException("outcome " + outcome + ", it is 0 to " + (OUTCOMES.size() - 1));
            }
        }
        in.position(read.place(count));
        return read;
    }

    /** Writes the operations as {@link #read} reads them. */
    void write(ByteBuffer out) {
        out.put(encoded.duplicate().limit(place(encodedCount)).position(start));
        for (Executed each : later) {
            out.putLong(each.id().uuid().getMostSignificantBits())
                    .putLong(each.id().uuid().getLeastSignificantBits())
                    .putInt(each.change())
                    .putLong(each.at().packed())
                    .put((byte) OUTCOMES.indexOf(each.outcome()))
                    .putLong(each.number());
        }
    }

    /** Returns a list without the first operations, and with one more. */
    ExecutedList following(int first, Executed latest) {
        int encodedLeft = Math.max(0, encodedCount - first);
        int laterGone = Math.max(0, first - encodedCount);
        // Its last element is still missing.
        Executed[] kept = Arrays.copyOfRange(later, laterGone, later.length + 1);
        kept[kept.length - 1] = latest;
        return new ExecutedList(encoded, place(encodedCount - encodedLeft), encodedLeft, kept);
    }

    private int place(int index) {
        return start + index * BYTES_EACH;
    }

    /** Returns whether an operation has an id. */
    boolean hasId(int index, RequestId id) {
        if (index >= encodedCount) {
            return later[index - encodedCount].id().equals(id);
        }
        int at = place(index);
        return encoded.getLong(at + Long.BYTES) == id.uuid().getLeastSignificantBits()
                && encoded.getLong(at) == id.uuid().getMostSignificantBits();
    }

    /** Returns when an operation was executed. */
    Version at(int index) {
        return index < encodedCount
                ? new Version(encoded.getLong(place(index) + VERSION_AT))
                : later[index - encodedCount].at();
    }

    @Override
    public Executed get(int index) {
        if (index < 0 || index >= encodedCount) {
            return later[index - encodedCount];
        }
        int at = place(index);
        return new Executed(
                new RequestId(new UUID(encoded.getLong(at), encoded.getLong(at + Long.BYTES))),
                encoded.getInt(at + CHANGE_AT),
                new Version(encoded.getLong(at + VERSION_AT)),
                OUTCOMES.get(encoded.get(at + OUTCOME_AT)),
                encoded.getLong(at + NUMBER_AT));
    }

    @Override
    public int size() {
        return encodedCount + later.length;
    }
}
