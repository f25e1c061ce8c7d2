package io.dht4j.core.internal.membership.codec;

import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Encodes and decodes commands, in the format of {@link StateCodec}: the second byte is the kind of the command. Safe
 * for use by any number of threads.
 */
public final class CommandCodec {

    private static final int FORM = 1;
    private static final int ADMIT = 2;
    private static final int JOIN = 3;
    private static final int SERVE = 4;
    private static final int CHANGE_ATTRIBUTES = 5;
    private static final int LEAVE = 6;
    private static final int REMOVE = 7;
    private static final int RELEASE_VERSION_SLOT = 8;
    private static final int MARK_DEAD = 9;
    private static final int REPLACE = 10;
    private static final int START_BATCH = 11;
    private static final int ADVANCE_BATCH = 12;
    private static final int COMPLETE_FILL = 13;
    private static final int ABORT_BATCH = 14;
    private static final int SET_VOTERS = 15;
    private static final int SET_REBALANCE = 16;
    private static final int RECOVER = 17;
    private static final int CONTINUE = 18;
    private static final int SET_REPLICATION_FACTOR = 19;
    private static final int START_GROW = 20;
    private static final int COMPLETE_GROW = 21;
    private static final int SET_VOTER_COUNT = 22;

    private static final int MIN_FOUNDER_BYTES = 2 + 16 + 2 + 2 + 2 + 1;
    private static final int MIN_CLAIM_BYTES = 2 + 2;

    private CommandCodec() {}

    /** Encodes a command into a new array. */
    public static byte[] encode(Command command) {
        StateWriter out = new StateWriter().u8(StateCodec.FORMAT);
        if (command instanceof Command.Form form) {
            write(form, out.u8(FORM));
        } else if (command instanceof Command.Continue next) {
            out.u8(CONTINUE).array(CompressedState.encode(next.state()));
        } else {
            write(command, out);
        }
        return out.toByteArray();
    }

    private static void write(Command.Form form, StateWriter out) {
        out.uuid(form.cluster()).settings(form.settings()).i32(form.founders().size());
        for (Command.Founder founder : form.founders()) {
            out.name(founder.name()).uuid(founder.incarnation()).attributes(founder.attributes());
        }
        out.slots(form.slots()).numbers(form.voters());
    }

    private static void write(Command command, StateWriter out) {
        long epoch = command.expectedEpoch();
        if (command instanceof Command.Admit c) {
            out.u8(ADMIT).i64(epoch).name(c.name());
        } else if (command instanceof Command.Join c) {
            out.u8(JOIN).i64(epoch).name(c.name()).uuid(c.incarnation()).attributes(c.attributes());
            out.i32(c.claims().size());
            c.claims().forEach((name, value) -> out.text(name).text(value));
        } else if (command instanceof Command.Serve c) {
            out.u8(SERVE).i64(epoch).i32(c.member());
        } else if (command instanceof Command.ChangeAttributes c) {
            out.u8(CHANGE_ATTRIBUTES).i64(epoch).i32(c.member()).attributes(c.attributes());
        } else if (command instanceof Command.Leave c) {
            out.u8(LEAVE).i64(epoch).i32(c.member());
        } else if (command instanceof Command.Remove c) {
            out.u8(REMOVE).i64(epoch).i32(c.member());
        } else if (command instanceof Command.ReleaseVersionSlot c) {
            out.u8(RELEASE_VERSION_SLOT).i64(epoch).i32(c.member());
        } else if (command instanceof Command.MarkDead c) {
            out.u8(MARK_DEAD).i64(epoch).i32(c.member()).flag(c.acceptDataLoss());
        } else if (command instanceof Command.Replace c) {
            out.u8(REPLACE).i64(epoch).i32(c.member()).uuid(c.incarnation()).attributes(c.attributes());
        } else if (command instanceof Command.StartBatch c) {
            out.u8(START_BATCH).i64(epoch).i32(c.from()).i32(c.to()).partitions(c.partitions());
        } else if (command instanceof Command.AdvanceBatch c) {
            out.u8(ADVANCE_BATCH).i64(epoch).i64(c.batch()).u8(c.next().code());
        } else if (command instanceof Command.CompleteFill c) {
            out.u8(COMPLETE_FILL).i64(epoch).i64(c.batch()).partitions(c.partitions());
        } else if (command instanceof Command.SetReplicationFactor c) {
            out.u8(SET_REPLICATION_FACTOR).i64(epoch).i32(c.replicas());
        } else if (command instanceof Command.StartGrow c) {
            out.u8(START_GROW).i64(epoch).i32(c.from()).i32(c.to()).partitions(c.partitions());
        } else if (command instanceof Command.CompleteGrow c) {
            out.u8(COMPLETE_GROW).i64(epoch).i64(c.batch()).partitions(c.partitions());
        } else if (command instanceof Command.AbortBatch c) {
            out.u8(ABORT_BATCH).i64(epoch).i64(c.batch());
        } else if (command instanceof Command.SetVoters c) {
            out.u8(SET_VOTERS).i64(epoch).numbers(c.voters());
        } else if (command instanceof Command.SetRebalance c) {
            out.u8(SET_REBALANCE).i64(epoch).rebalance(c.settings());
        } else if (command instanceof Command.SetVoterCount c) {
            out.u8(SET_VOTER_COUNT).i64(epoch).i32(c.voters());
        } else if (command instanceof Command.Recover c) {
            out.u8(RECOVER).i64(epoch).numbers(c.voters());
        } else {
            throw new IllegalArgumentException("unknown command " + command);
        }
    }

    /**
     * Decodes a command.
     *
     * @param bytes the result of {@link #encode}; neither changed nor retained
     * @throws MalformedStateException if the bytes are no command, or of another version of the format
     */
    public static Command decode(byte[] bytes) throws MalformedStateException {
        StateReader in = new StateReader(bytes);
        StateCodec.requireFormat(in);
        int kind = in.u8("the kind");
        try {
            Command command = switch (kind) {
                case FORM -> form(in);
                case CONTINUE -> new Command.Continue(CompressedState.decode(in.array("a state")));
                default -> read(kind, in.i64("the expected epoch"), in);
            };
            in.end();
            return command;
        } catch (IllegalArgumentException e) {
            // Records refuse values out of range.
            throw new MalformedStateException(String.valueOf(e.getMessage()));
        }
    }

    private static Command read(int kind, long epoch, StateReader in) throws MalformedStateException {
        return switch (kind) {
            case ADMIT -> new Command.Admit(epoch, in.name());
            case JOIN -> new Command.Join(epoch, in.name(), in.uuid("an incarnation"), in.attributes(), claims(in));
            case SERVE -> new Command.Serve(epoch, member(in));
            case CHANGE_ATTRIBUTES -> new Command.ChangeAttributes(epoch, member(in), in.attributes());
            case LEAVE -> new Command.Leave(epoch, member(in));
            case REMOVE -> new Command.Remove(epoch, member(in));
            case RELEASE_VERSION_SLOT -> new Command.ReleaseVersionSlot(epoch, member(in));
            case MARK_DEAD -> new Command.MarkDead(epoch, member(in), in.flag("whether loss is accepted"));
            case REPLACE -> new Command.Replace(epoch, member(in), in.uuid("an incarnation"), in.attributes());
            case START_BATCH -> new Command.StartBatch(epoch, member(in), member(in), in.partitions());
            case ADVANCE_BATCH -> new Command.AdvanceBatch(epoch, batch(in), in.phase("the next phase"));
            case COMPLETE_FILL -> new Command.CompleteFill(epoch, batch(in), in.partitions());
            case SET_REPLICATION_FACTOR -> new Command.SetReplicationFactor(epoch, in.i32("a replication factor"));
            case START_GROW -> new Command.StartGrow(epoch, member(in), member(in), in.partitions());
            case COMPLETE_GROW -> new Command.CompleteGrow(epoch, batch(in), in.partitions());
            case ABORT_BATCH -> new Command.AbortBatch(epoch, batch(in));
            case SET_VOTERS -> new Command.SetVoters(epoch, in.numbers("voters"));
            case SET_REBALANCE -> new Command.SetRebalance(epoch, in.rebalance());
            case RECOVER -> new Command.Recover(epoch, in.numbers("voters"));
            case SET_VOTER_COUNT -> new Command.SetVoterCount(epoch, in.i32("the number of voters"));
            default -> throw new MalformedStateException("kind " + kind + " is no command");
        };
    }

    private static int member(StateReader in) throws MalformedStateException {
        return in.i32("a member's number");
    }

    private static long batch(StateReader in) throws MalformedStateException {
        return in.i64("a batch's number");
    }

    private static Command form(StateReader in) throws MalformedStateException {
        UUID cluster = in.uuid("the cluster's identity");
        AgreedSettings settings = in.settings();
        int count = in.count(MIN_FOUNDER_BYTES, "founders");
        List<Command.Founder> founders = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            founders.add(new Command.Founder(in.name(), in.uuid("an incarnation"), in.attributes()));
        }
        return new Command.Form(cluster, settings, founders, in.slots(), in.numbers("voters"));
    }

    private static Map<String, String> claims(StateReader in) throws MalformedStateException {
        int count = in.count(MIN_CLAIM_BYTES, "claims");
        Map<String, String> claims = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            claims.put(in.text("a setting's name"), in.text("a setting's value"));
        }
        return claims;
    }
}
