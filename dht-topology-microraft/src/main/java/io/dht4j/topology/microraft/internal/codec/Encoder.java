package io.dht4j.topology.microraft.internal.codec;

import io.dht4j.spi.NodeRef;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.UUID;

/** Writes numbers (big-endian), byte arrays and nodes. Not thread-safe. */
final class Encoder {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(256);

    byte[] bytes() {
        return out.toByteArray();
    }

    Encoder oneByte(int value) {
        out.write(value);
        return this;
    }

    Encoder flag(boolean value) {
        return oneByte(value ? 1 : 0);
    }

    Encoder number(int value) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.write(value >>> shift);
        }
        return this;
    }

    Encoder number(long value) {
        return number((int) (value >>> 32)).number((int) value);
    }

    Encoder raw(byte[] value) {
        number(value.length);
        out.writeBytes(value);
        return this;
    }

    Encoder ref(NodeRef ref) {
        byte[] name = ref.name().value().getBytes(StandardCharsets.ISO_8859_1);
        oneByte(name.length);
        out.writeBytes(name);
        UUID incarnation = ref.incarnation();
        return number(incarnation.getMostSignificantBits()).number(incarnation.getLeastSignificantBits());
    }

    Encoder refs(Collection<NodeRef> refs) {
        oneByte(refs.size());
        refs.forEach(this::ref);
        return this;
    }
}
