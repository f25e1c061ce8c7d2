package io.dht4j.core.internal.membership.codec;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.membership.state.VoterGroup;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Writes big-endian numbers and lengths before texts and lists. Grows as needed. Not thread-safe. */
final class StateWriter {

    private static final int FIRST_BYTES = 512;

    private ByteBuffer out = ByteBuffer.allocate(FIRST_BYTES);

    private ByteBuffer room(int bytes) {
        if (out.remaining() < bytes) {
            int wanted = Math.addExact(out.position(), bytes);
            int doubled = (int) Math.min(Integer.MAX_VALUE - 8L, 2L * out.capacity());
            out = ByteBuffer.allocate(Math.max(wanted, doubled)).put(out.flip());
        }
        return out;
    }

    StateWriter u8(int value) {
        room(1).put((byte) value);
        return this;
    }

    StateWriter flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    StateWriter u16(int value) {
        room(Short.BYTES).putShort((short) value);
        return this;
    }

    StateWriter i32(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    StateWriter i64(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    StateWriter uuid(UUID value) {
        return i64(value.getMostSignificantBits()).i64(value.getLeastSignificantBits());
    }

    private StateWriter bytes(byte[] bytes) {
        room(bytes.length).put(bytes);
        return this;
    }

    StateWriter array(byte[] bytes) {
        return i32(bytes.length).bytes(bytes);
    }

    StateWriter text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        return u16(utf8.length).bytes(utf8);
    }

    /** Writes a name, which consists of ASCII characters. */
    StateWriter name(NodeId id) {
        byte[] ascii = id.value().getBytes(StandardCharsets.US_ASCII);
        return u8(ascii.length).bytes(ascii);
    }

    StateWriter partitions(PartitionSet partitions) {
        return array(partitions.toBytes());
    }

    StateWriter numbers(List<Integer> numbers) {
        i32(numbers.size());
        numbers.forEach(this::i32);
        return this;
    }

    StateWriter voters(VoterGroup group) {
        numbers(group.numbers());
        group.since().forEach(this::i64);
        return i64(group.begun()).numbers(group.first()).u8(group.wanted());
    }

    StateWriter slots(SlotTable slots) {
        u8(slots.width()).i32(slots.partitions());
        for (int owner : slots.toArray()) {
            u16(owner);
        }
        return this;
    }

    StateWriter attributes(MemberAttributes attributes) {
        text(attributes.address()).u16(attributes.weight()).text(attributes.zone());
        u8(attributes.publicAddresses().size());
        attributes.publicAddresses().forEach(this::text);
        return this;
    }

    StateWriter settings(AgreedSettings settings) {
        return i32(settings.partitions())
                .text(settings.placement())
                .text(settings.hash())
                .i64(settings.hashKeyCheck())
                .u8(settings.replicationFactor())
                .i32(settings.maxValueBytes());
    }

    StateWriter rebalance(RebalanceSettings settings) {
        return i64(settings.bytesPerSecond()).flag(settings.paused());
    }

    byte[] toByteArray() {
        return Arrays.copyOf(out.array(), out.position());
    }
}
