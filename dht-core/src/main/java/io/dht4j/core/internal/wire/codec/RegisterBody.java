package io.dht4j.core.internal.wire.codec;

import io.dht4j.AtomicChange;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Executed;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.atomic.RegisterCodec;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.UUID;

/** The bodies of frames about registers: sizes, writing and reading. */
final class RegisterBody {

    private static final List<AtomicChange.Kind> CHANGES = List.of(AtomicChange.Kind.values());
    private static final List<Register.Kind> KINDS = List.of(Register.Kind.values());
    private static final List<Executed.Outcome> OUTCOMES = List.of(Executed.Outcome.values());

    /** An operation without its value. */
    private static final int OPERATION_BYTES = 8 + 8 + 1 + 8 + 8 + 8 + 8 + 4;

    /** An outcome without the value of the register. */
    private static final int OUTCOME_BYTES = 4 + 8 + 1 + 8 + 1 + 8 + 8 + 4;

    private RegisterBody() {}

    static int type(RegisterRequest request) {
        if (request instanceof RegisterRequest.Prepare) {
            return FrameTypes.REGISTER_PREPARE;
        }
        if (request instanceof RegisterRequest.Accept) {
            return FrameTypes.REGISTER_ACCEPT;
        }
        return request instanceof RegisterRequest.Read ? FrameTypes.REGISTER_READ : FrameTypes.REGISTER_EXECUTE;
    }

    static int type(RegisterReply reply) {
        if (reply instanceof RegisterReply.Promised) {
            return FrameTypes.PROMISED;
        }
        if (reply instanceof RegisterReply.Accepted) {
            return FrameTypes.ACCEPTED;
        }
        if (reply instanceof RegisterReply.Refused) {
            return FrameTypes.BALLOT_REFUSED;
        }
        if (reply instanceof RegisterReply.Held) {
            return FrameTypes.HELD;
        }
        return reply instanceof RegisterReply.Outcome ? FrameTypes.OUTCOME : FrameTypes.OUTCOME_UNKNOWN;
    }

    static int size(RegisterRequest request) {
        if (request instanceof RegisterRequest.Prepare) {
            return FrameWriter.sizeOf(request.key()) + 8;
        }
        if (request instanceof RegisterRequest.Accept accept) {
            return FrameWriter.sizeOf(accept.entry()) + 8;
        }
        if (request instanceof RegisterRequest.Execute execute) {
            return FrameWriter.sizeOf(execute.key())
                    + OPERATION_BYTES
                    + execute.operation().change().value().length;
        }
        return FrameWriter.sizeOf(request.key());
    }

    static int size(RegisterReply reply) {
        if (reply instanceof RegisterReply.Promised promised) {
            return 8 + ReplyBody.sizeOf(promised.held());
        }
        if (reply instanceof RegisterReply.Held held) {
            return 8 + ReplyBody.sizeOf(held.held());
        }
        if (reply instanceof RegisterReply.Outcome outcome) {
            return OUTCOME_BYTES + outcome.register().value().length;
        }
        return reply instanceof RegisterReply.Accepted ? 1 : 8;
    }

    static void write(FrameWriter out, RegisterRequest request) {
        out.key(request.key());
        if (request instanceof RegisterRequest.Prepare prepare) {
            out.i64(prepare.ballot().packed());
        } else if (request instanceof RegisterRequest.Accept accept) {
            out.entry(accept.entry()).i64(accept.next().packed());
        } else if (request instanceof RegisterRequest.Execute execute) {
            Operation operation = execute.operation();
            AtomicChange change = operation.change();
            out.i64(operation.id().uuid().getMostSignificantBits())
                    .i64(operation.id().uuid().getLeastSignificantBits())
                    .u8(CHANGES.indexOf(change.kind()))
                    .i64(change.expected().packed())
                    .i64(change.ttlMillis())
                    .i64(change.number())
                    .i64(change.expectedNumber())
                    .i32(change.value().length)
                    .bytes(change.value());
        }
    }

    static RegisterRequest readRequest(FrameReader in, int type) throws FrameException {
        Key key = in.key();
        return switch (type) {
            case FrameTypes.REGISTER_PREPARE -> new RegisterRequest.Prepare(key, in.version());
            case FrameTypes.REGISTER_ACCEPT -> new RegisterRequest.Accept(accepted(in, key), in.version());
            case FrameTypes.REGISTER_READ -> new RegisterRequest.Read(key);
            default -> new RegisterRequest.Execute(key, operation(in));
        };
    }

    private static Entry accepted(FrameReader in, Key key) throws FrameException {
        Entry entry = in.entry(key);
        if (entry.isTombstone()) {
            throw in.malformed("a register is a value, not a tombstone");
        }
        if (entry.value().length > RegisterCodec.MAX_BYTES) {
            throw in.malformed(
                    "a register has at most " + RegisterCodec.MAX_BYTES + " bytes, not " + entry.value().length);
        }
        return entry;
    }

    private static Operation operation(FrameReader in) throws FrameException {
        RequestId id = id(in);
        AtomicChange.Kind kind = one(in, CHANGES, "a kind of change");
        Version expected = in.version();
        long ttl = in.i64("a time to live");
        long number = in.i64("a number");
        long expectedNumber = in.i64("an expected number");
        byte[] value = value(in);
        try {
            return new Operation(id, new AtomicChange(kind, expected, ttl, number, expectedNumber, value));
        } catch (InvalidRequestException e) {
            throw in.malformed(String.valueOf(e.getMessage()));
        }
    }

    private static RequestId id(FrameReader in) throws FrameException {
        UUID uuid = new UUID(in.i64("a request id"), in.i64("a request id"));
        try {
            return new RequestId(uuid);
        } catch (InvalidRequestException e) {
            throw in.malformed(String.valueOf(e.getMessage()));
        }
    }

    private static byte[] value(FrameReader in) throws FrameException {
        int length = in.size("a value's length");
        if (length > AtomicChange.MAX_VALUE_BYTES) {
            throw in.malformed("an atomic value has at most " + AtomicChange.MAX_VALUE_BYTES + " bytes, not " + length);
        }
        return in.bytes(length, "a value");
    }

    private static <T> T one(FrameReader in, List<T> all, String what) throws FrameException {
        int index = in.u8(what);
        if (index >= all.size()) {
            throw in.malformed(what + " is 0 to " + (all.size() - 1) + ", not " + index);
        }
        return all.get(index);
    }

    static void write(FrameWriter out, RegisterReply reply) {
        if (reply instanceof RegisterReply.Promised promised) {
            ReplyBody.write(out.i64(promised.purged().packed()), promised.held());
        } else if (reply instanceof RegisterReply.Held held) {
            ReplyBody.write(out.i64(held.purged().packed()), held.held());
        } else if (reply instanceof RegisterReply.Refused refused) {
            out.i64(refused.highest().packed());
        } else if (reply instanceof RegisterReply.Accepted accepted) {
            out.u8(accepted.promisesNext() ? 1 : 0);
        } else if (reply instanceof RegisterReply.Unknown unknown) {
            out.i64(unknown.newest().packed());
        } else if (reply instanceof RegisterReply.Outcome outcome) {
            Executed executed = outcome.executed();
            Register register = outcome.register();
            out.i32(executed.change())
                    .i64(executed.at().packed())
                    .u8(OUTCOMES.indexOf(executed.outcome()))
                    .i64(executed.number())
                    .u8(KINDS.indexOf(register.kind()))
                    .i64(register.revision().packed())
                    .i64(register.expiresAtMillis())
                    .i32(register.value().length)
                    .bytes(register.value());
        }
    }

    /** Reads the reply to a request; one that does not match the request is malformed. */
    static Reply readReply(FrameReader in, int type, RegisterRequest request) throws FrameException {
        if (type == FrameTypes.PROMISED && request instanceof RegisterRequest.Prepare) {
            return new RegisterReply.Promised(in.version(), ReplyBody.answer(in, request.key()));
        }
        if (type == FrameTypes.ACCEPTED && request instanceof RegisterRequest.Accept) {
            return new RegisterReply.Accepted(in.flag("whether the next ballot is promised"));
        }
        if (type == FrameTypes.BALLOT_REFUSED
                && (request instanceof RegisterRequest.Prepare || request instanceof RegisterRequest.Accept)) {
            return new RegisterReply.Refused(in.version());
        }
        if (type == FrameTypes.HELD && request instanceof RegisterRequest.Read) {
            return new RegisterReply.Held(in.version(), ReplyBody.answer(in, request.key()));
        }
        if (type == FrameTypes.OUTCOME && request instanceof RegisterRequest.Execute execute) {
            return outcome(in, execute.operation().id());
        }
        if (type == FrameTypes.OUTCOME_UNKNOWN && request instanceof RegisterRequest.Execute) {
            return new RegisterReply.Unknown(in.version());
        }
        throw in.malformed("reply type " + type + " to " + request.getClass().getSimpleName());
    }

    private static RegisterReply.Outcome outcome(FrameReader in, RequestId id) throws FrameException {
        int change = in.i32("a digest");
        Version at = in.version();
        Executed executed = new Executed(id, change, at, one(in, OUTCOMES, "an outcome"), in.i64("a number"));
        Register.Kind kind = one(in, KINDS, "a kind of register");
        Version revision = in.version();
        long expiry = in.i64("an expiry");
        byte[] value = value(in);
        if (expiry < 0 || (kind == Register.Kind.COUNTER && value.length != Long.BYTES)) {
            throw in.malformed("a " + kind + " of " + value.length + " bytes, expiry " + expiry);
        }
        return new RegisterReply.Outcome(
                executed, new Register(kind, revision, expiry, Register.NEVER_CHANGED, List.of(), value));
    }
}
