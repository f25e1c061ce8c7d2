package io.dht4j.testkit.topology;

import io.dht4j.spi.NodeRef;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Encodes and decodes the messages of a {@link ModelTopologyLog}: kind (1), round (8), number of agreed commands (8),
 * and the names of sender and recipient. Not thread-safe.
 */
final class ModelMessages {

    private static final int FIELDS_BYTES = 1 + 2 * Long.BYTES;

    private final NodeRef self;
    /** The senders and recipients in messages, by the other member; created once for each. */
    private final Map<NodeRef, byte[]> sent = new HashMap<>();

    private final Map<NodeRef, byte[]> received = new HashMap<>();

    enum Kind {
        ASK(1),
        ANSWER(2);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }
    }

    /**
     * A message.
     *
     * @param kind a question whether the recipient is there, or the answer
     * @param round the round in which the question was sent
     * @param agreed how many commands the sender knows to be agreed
     */
    record Message(Kind kind, long round, long agreed) {}

    ModelMessages(NodeRef self) {
        this.self = self;
    }

    byte[] encode(NodeRef to, Message message) {
        byte[] names = sent.computeIfAbsent(to, other -> names(self, other));
        return ByteBuffer.allocate(FIELDS_BYTES + names.length)
                .put(message.kind().code)
                .putLong(message.round())
                .putLong(message.agreed())
                .put(names)
                .array();
    }

    /** Returns a received message; empty if it is malformed, or names another sender or recipient. */
    Optional<Message> decode(NodeRef from, byte[] bytes) {
        byte[] names = received.computeIfAbsent(from, other -> names(other, self));
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length != FIELDS_BYTES + names.length
                || !ByteBuffer.wrap(names).equals(in.slice(FIELDS_BYTES, names.length))) {
            return Optional.empty();
        }
        byte code = in.get();
        for (Kind kind : Kind.values()) {
            if (kind.code == code) {
                return Optional.of(new Message(kind, in.getLong(), in.getLong()));
            }
        }
        return Optional.empty();
    }

    private static byte[] names(NodeRef from, NodeRef to) {
        return (from + ">" + to).getBytes(StandardCharsets.UTF_8);
    }
}
