package io.dht4j.topology.microraft.internal.codec;

import io.dht4j.NodeId;
import io.dht4j.spi.NodeRef;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;

/** Reads the output of an {@link Encoder} from untrusted bytes. Allocates at most as many bytes as there are. */
final class Decoder {

    /** More members than any group has, with learners. */
    private static final int MAX_MEMBERS = 16;

    private final ByteBuffer in;

    Decoder(byte[] bytes) {
        this.in = ByteBuffer.wrap(bytes);
    }

    private void require(int bytes) throws Malformed {
        if (in.remaining() < bytes) {
            throw new Malformed("it ends after " + in.limit() + " bytes, in the middle of a field");
        }
    }

    int oneByte() throws Malformed {
        require(1);
        return Byte.toUnsignedInt(in.get());
    }

    boolean flag() throws Malformed {
        int value = oneByte();
        if (value > 1) {
            throw new Malformed("a flag is " + value);
        }
        return value == 1;
    }

    /** Reads a number of 0 or more. */
    int number() throws Malformed {
        require(Integer.BYTES);
        int value = in.getInt();
        if (value < 0) {
            throw new Malformed("a number is " + value);
        }
        return value;
    }

    /** Reads a number of 0 or more. */
    long longNumber() throws Malformed {
        require(Long.BYTES);
        long value = in.getLong();
        if (value < 0) {
            throw new Malformed("a number is " + value);
        }
        return value;
    }

    byte[] raw(int most) throws Malformed {
        int length = number();
        if (length > most) {
            throw new Malformed("a field has " + length + " bytes, more than " + most);
        }
        require(length);
        byte[] value = new byte[length];
        in.get(value);
        return value;
    }

    NodeRef ref() throws Malformed {
        int length = oneByte();
        require(length + 2 * Long.BYTES);
        byte[] name = new byte[length];
        in.get(name);
        UUID incarnation = new UUID(in.getLong(), in.getLong());
        try {
            return new NodeRef(new NodeId(new String(name, StandardCharsets.ISO_8859_1)), incarnation);
        } catch (IllegalArgumentException e) {
            throw new Malformed(String.valueOf(e.getMessage()));
        }
    }

    List<NodeRef> refs() throws Malformed {
        int count = oneByte();
        if (count > MAX_MEMBERS) {
            throw new Malformed("a list has " + count + " members, more than " + MAX_MEMBERS);
        }
        List<NodeRef> refs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            refs.add(ref());
        }
        if (new HashSet<>(refs).size() < count) {
            throw new Malformed("a list names a member twice");
        }
        return refs;
    }

    void end() throws Malformed {
        if (in.hasRemaining()) {
            throw new Malformed(in.remaining() + " bytes follow its end");
        }
    }
}
