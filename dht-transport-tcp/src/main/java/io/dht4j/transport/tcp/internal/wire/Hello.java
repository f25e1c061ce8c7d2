package io.dht4j.transport.tcp.internal.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The first bytes in either direction. The caller names protocol, version, itself and the node that it calls. The
 * callee answers with the version that both use and with its name, or with the reason of a refusal. A caller sends no
 * request before the answer, so a refused caller knows that no request was sent.
 *
 * <p>A hello has a magic (4 bytes), a version (1), a kind (1), the lengths of two texts (1 and 2), and the texts.
 *
 * @param kind the sending side, and whether it is a refusal
 * @param version 1 to 255: from a caller the latest supported one, from a callee the one that both use
 * @param own the name of the sender; empty if it has none
 * @param text from a caller the name of the called node, in a refusal the reason; else empty
 */
public record Hello(Kind kind, int version, String own, String text) {

    /** The latest version of the protocol of a connection, without the frames. */
    public static final int VERSION = 1;

    private static final int HEAD_BYTES = 9;
    private static final int MAX_NAME = 64;
    private static final int MAX_TEXT = 512;
    private static final int MAGIC = 'd' << 24 | 'h' << 16 | 't' << 8 | '4';

    /** The side that sends a hello, and whether it is a refusal. */
    public enum Kind {
        CALLER('C'),
        CALLEE('A'),
        REFUSAL('R');

        private final byte code;

        Kind(char code) {
            this.code = (byte) code;
        }

        private static Optional<Kind> of(byte code) {
            return Stream.of(values()).filter(kind -> kind.code == code).findAny();
        }
    }

    /** Returns a caller's hello; {@code self} is empty for a caller without a name. */
    public static Hello ofCaller(Optional<NodeId> self, NodeId called) {
        return new Hello(Kind.CALLER, VERSION, name(self), called.value());
    }

    /** Returns the answer to a caller that may send requests. */
    public static Hello ofCallee(Optional<NodeId> self, int callersVersion) {
        return new Hello(Kind.CALLEE, Math.min(VERSION, callersVersion), name(self), "");
    }

    /** Returns the answer to a caller that is refused. */
    public static Hello refusal(String reason) {
        return new Hello(Kind.REFUSAL, VERSION, "", PrintableText.of(reason, MAX_TEXT));
    }

    private static String name(Optional<NodeId> self) {
        return self.map(NodeId::value).orElse("");
    }

    /** Returns the bytes. A longer text is cut. */
    public byte[] encode() {
        byte[] name = own.getBytes(UTF_8);
        byte[] bytes = text.getBytes(UTF_8);
        int length = Math.min(bytes.length, MAX_TEXT);
        return ByteBuffer.allocate(HEAD_BYTES + name.length + length)
                .putInt(MAGIC)
                .put((byte) version)
                .put(kind.code)
                .put((byte) name.length)
                .putShort((short) length)
                .put(name)
                .put(bytes, 0, length)
                .array();
    }

    /** Reads a hello from bytes that arrive in any pieces. For one thread. */
    public static final class Reader {

        private final ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + MAX_NAME + MAX_TEXT);

        /**
         * Reads up to the end of the hello.
         *
         * @return the hello; empty if there are too few bytes yet
         * @throws MalformedException if it is none; the message says how
         */
        public Optional<Hello> read(ByteBuffer in) throws MalformedException {
            while (in.hasRemaining() && bytes.position() < length()) {
                bytes.put(in.get());
                check();
            }
            return bytes.position() < length() ? Optional.empty() : Optional.of(decode());
        }

        /** Returns the length of the hello, or a lower bound before the lengths of its texts have arrived. */
        private int length() {
            return bytes.position() < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + nameBytes() + bytes.getShort(7);
        }

        private int nameBytes() {
            return bytes.get(6);
        }

        /** Checks the field that has arrived last. */
        private void check() throws MalformedException {
            int count = bytes.position();
            if (count <= Integer.BYTES
                    && bytes.get(count - 1) != (byte) (MAGIC >> ((Integer.BYTES - count) * Byte.SIZE))) {
                throw new MalformedException("what is no hello of this transport; does it speak TLS, HTTP or gRPC?");
            }
            if (count != HEAD_BYTES) {
                return;
            }
            int version = bytes.get(4) & 0xff;
            if (version == 0) {
                throw new MalformedException("a hello of version 0, where this node speaks 1 to " + VERSION);
            }
            if (Kind.of(bytes.get(5)).isEmpty()) {
                throw new MalformedException("a hello of unknown kind " + bytes.get(5));
            }
            int textBytes = bytes.getShort(7);
            if (nameBytes() < 0 || nameBytes() > MAX_NAME || textBytes < 0 || textBytes > MAX_TEXT) {
                throw new MalformedException("a hello with texts of " + nameBytes() + " and " + textBytes + " bytes");
            }
        }

        private Hello decode() throws MalformedException {
            Kind kind = Kind.of(bytes.get(5)).orElseThrow();
            int from = HEAD_BYTES + nameBytes();
            String own = name(new String(bytes.array(), HEAD_BYTES, nameBytes(), UTF_8));
            String text = new String(bytes.array(), from, bytes.position() - from, UTF_8);
            return new Hello(
                    kind,
                    bytes.get(4) & 0xff,
                    own,
                    kind == Kind.REFUSAL ? PrintableText.of(text, MAX_TEXT) : name(text));
        }

        private static String name(String text) throws MalformedException {
            try {
                return text.isEmpty() ? text : new NodeId(text).value();
            } catch (IllegalArgumentException e) {
                throw new MalformedException("a hello with a wrong name: " + e.getMessage());
            }
        }
    }
}
