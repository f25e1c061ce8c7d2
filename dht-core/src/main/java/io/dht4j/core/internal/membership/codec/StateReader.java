package io.dht4j.core.internal.membership.codec;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.membership.state.VoterGroup;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Reads untrusted bytes: a length is accepted only if as many bytes are present. The records themselves refuse values
 * out of range by {@link IllegalArgumentException}. Not thread-safe.
 */
final class StateReader {

    private final ByteBuffer in;

    StateReader(byte[] bytes) {
        in = ByteBuffer.wrap(bytes);
    }

    private void need(long bytes, String what) throws MalformedStateException {
        if (in.remaining() < bytes) {
            throw new MalformedStateException(
                    "it ends within " + what + " at byte " + in.position() + " of " + in.limit());
        }
    }

    int u8(String what) throws MalformedStateException {
        need(1, what);
        return in.get() & 0xFF;
    }

    boolean flag(String what) throws MalformedStateException {
        int value = u8(what);
        if (value > 1) {
            throw new MalformedStateException(what + " must be 0 or 1, not " + value);
        }
        return value == 1;
    }

    int u16(String what) throws MalformedStateException {
        need(Short.BYTES, what);
        return in.getShort() & 0xFFFF;
    }

    int i32(String what) throws MalformedStateException {
        need(Integer.BYTES, what);
        return in.getInt();
    }

    long i64(String what) throws MalformedStateException {
        need(Long.BYTES, what);
        return in.getLong();
    }

    UUID uuid(String what) throws MalformedStateException {
        need(2 * Long.BYTES, what);
        return new UUID(in.getLong(), in.getLong());
    }

    Phase phase(String what) throws MalformedStateException {
        int code = u8(what);
        for (Phase phase : Phase.values()) {
            if (phase.code() == code) {
                return phase;
            }
        }
        throw new MalformedStateException(what + " is unknown: " + code);
    }

    Lifecycle lifecycle(String what) throws MalformedStateException {
        int code = u8(what);
        for (Lifecycle lifecycle : Lifecycle.values()) {
            if (lifecycle.code() == code) {
                return lifecycle;
            }
        }
        throw new MalformedStateException(what + " is unknown: " + code);
    }

    /** Reads a number of items of at least some bytes each, so that a list of that size can be created. */
    int count(int minBytesEach, String what) throws MalformedStateException {
        int count = i32(what);
        if (count < 0 || count > in.remaining() / minBytesEach) {
            throw new MalformedStateException(count + " " + what + " cannot stand in " + in.remaining() + " bytes");
        }
        return count;
    }

    private byte[] bytes(int length, String what) throws MalformedStateException {
        need(length, what);
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    byte[] array(String what) throws MalformedStateException {
        return bytes(count(1, "bytes of " + what), what);
    }

    String text(String what) throws MalformedStateException {
        return new String(bytes(u16(what), what), StandardCharsets.UTF_8);
    }

    NodeId name() throws MalformedStateException {
        return new NodeId(new String(bytes(u8("a name"), "a name"), StandardCharsets.ISO_8859_1));
    }

    PartitionSet partitions() throws MalformedStateException {
        int length = count(1, "bytes of partitions");
        if (length > PartitionSet.MAX_BYTES) {
            throw new MalformedStateException(
                    "a set of partitions has at most " + PartitionSet.MAX_BYTES + " bytes, not " + length);
        }
        return PartitionSet.parse(bytes(length, "partitions"));
    }

    List<Integer> numbers(String what) throws MalformedStateException {
        int count = count(Integer.BYTES, what);
        List<Integer> numbers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            numbers.add(i32(what));
        }
        return numbers;
    }

    List<Long> epochs(String what) throws MalformedStateException {
        int count = count(Long.BYTES, what);
        List<Long> epochs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            epochs.add(i64(what));
        }
        return epochs;
    }

    VoterGroup voters() throws MalformedStateException {
        List<Integer> numbers = numbers("voters");
        List<Long> since = new ArrayList<>();
        for (int i = 0; i < numbers.size(); i++) {
            since.add(i64("the epoch of a voter"));
        }
        return new VoterGroup(
                numbers, since, i64("the begin of the voters"), numbers("first voters"), u8("the number of voters"));
    }

    SlotTable slots() throws MalformedStateException {
        int width = u8("the width of the rows");
        int partitions = i32("the number of rows");
        long slots = (long) width * partitions;
        if (slots < 0) {
            throw new MalformedStateException("the number of rows must not be negative, is " + partitions);
        }
        need(slots * Short.BYTES, "the rows");
        int[] owners = new int[(int) slots];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = in.getShort() & 0xFFFF;
        }
        return SlotTable.of(width, owners);
    }

    /** Reads the versions of a known number of rows. */
    long[] versions(int rows) throws MalformedStateException {
        need((long) rows * Long.BYTES, "the versions");
        long[] versions = new long[rows];
        for (int i = 0; i < rows; i++) {
            versions[i] = in.getLong();
        }
        return versions;
    }

    MemberAttributes attributes() throws MalformedStateException {
        String address = text("an address");
        int weight = u16("a weight");
        String zone = text("a zone");
        int count = u8("a number of public addresses");
        need(2L * count, "public addresses");
        List<String> published = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            published.add(text("a public address"));
        }
        return new MemberAttributes(address, published, weight, zone);
    }

    AgreedSettings settings() throws MalformedStateException {
        return new AgreedSettings(
                i32("the number of partitions"),
                text("the placement"),
                text("the hash"),
                i64("the check of the hash key"),
                u8("the replication factor"),
                i32("the largest value"));
    }

    RebalanceSettings rebalance() throws MalformedStateException {
        return new RebalanceSettings(i64("the rate of moves"), flag("the pause of moves"));
    }

    void end() throws MalformedStateException {
        if (in.hasRemaining()) {
            throw new MalformedStateException(in.remaining() + " bytes follow its end");
        }
    }
}
