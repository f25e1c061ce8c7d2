package io.dht4j.core.internal.coordinator.node;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.KeyValue;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.atomic.RegisterCodec;
import io.dht4j.spi.Entry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/** What callers see of a register: its value, a counter as decimal digits, its revision and its expiry. */
final class RegisterView {

    /** The first byte of a value in a scan. */
    private static final char VALUE = '=';

    /** The first byte of a counter in a scan. */
    private static final char COUNTER = '+';

    private RegisterView() {}

    /** Returns what a register holds; empty if it holds nothing. */
    static Optional<Value> of(Register register) {
        return register.isPresent() ? Optional.of(value(register, bytes(register))) : Optional.empty();
    }

    /**
     * Returns what the register of an entry holds, behind a byte that is {@value #VALUE} or, of a counter,
     * {@value #COUNTER}; empty if it holds nothing. One that has expired is shown until its expiry is decided.
     */
    static Optional<KeyValue> of(KeyValue entry) {
        Version ballot = entry.value().version();
        Register register =
                register(Entry.value(entry.key(), ballot, entry.value().bytes(), Entry.NEVER));
        if (!register.isPresent()) {
            return Optional.empty();
        }
        byte[] content = bytes(register);
        byte[] marked = ByteBuffer.allocate(1 + content.length)
                .put((byte) (register.kind() == Register.Kind.COUNTER ? COUNTER : VALUE))
                .put(content)
                .array();
        return Optional.of(new KeyValue(entry.key(), value(register, marked)));
    }

    private static Register register(Entry entry) {
        try {
            return RegisterCodec.register(entry);
        } catch (IllegalArgumentException e) {
            throw DhtException.of(
                    ErrorCode.STORE_FAILED,
                    "key " + AtomicSpace.shown(entry.key()) + " cannot be read: " + e.getMessage());
        }
    }

    private static byte[] bytes(Register register) {
        return register.kind() == Register.Kind.COUNTER
                ? Long.toString(Operation.number(register)).getBytes(StandardCharsets.US_ASCII)
                : register.value();
    }

    private static Value value(Register register, byte[] bytes) {
        Optional<Instant> expiry = register.expiresAtMillis() == Entry.NEVER
                ? Optional.empty()
                : Optional.of(Instant.ofEpochMilli(register.expiresAtMillis()));
        return new Value(bytes, register.revision(), expiry);
    }
}
