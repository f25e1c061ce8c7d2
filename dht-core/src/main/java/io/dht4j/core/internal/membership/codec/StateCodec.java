package io.dht4j.core.internal.membership.codec;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Encodes and decodes states. The first byte is the version of the format and the second one distinguishes states from
 * commands. Numbers are big-endian. Safe for use by any number of threads.
 */
public final class StateCodec {

    /** The version of the format. */
    static final int FORMAT = 1;

    /**
     * The version of the format of recovered states. A node that could not read it would miss that its replicas have
     * diverged, so it stays at its own state.
     */
    private static final int RECOVERED_FORMAT = 2;

    private static final int STATE = 0;
    private static final int MIN_MEMBER_BYTES = 1 + 2 + 1 + 1 + 1;
    private static final int MIN_BATCH_BYTES = 8 + 4 + 4 + 1 + 4 + 1;
    private static final int NO_VERSION_SLOT = 0xFF;

    private StateCodec() {}

    /** Encodes a state into a new array. */
    public static byte[] encode(ClusterState state) {
        boolean recovered = !state.recoveredFrom().isEmpty();
        StateWriter out =
                new StateWriter().u8(recovered ? RECOVERED_FORMAT : FORMAT).u8(STATE);
        write(state, out);
        if (recovered) {
            out.i32(state.recoveredFrom().size());
            state.recoveredFrom().forEach(out::i64);
        }
        return out.toByteArray();
    }

    private static void write(ClusterState state, StateWriter out) {
        out.uuid(state.cluster()).i64(state.epoch()).settings(state.settings());
        out.i32(state.members().size());
        state.members().all().forEach(member -> write(member, out));
        out.voters(state.members().group()).slots(state.slots());
        for (int partition = 0; partition < state.partitions(); partition++) {
            out.i64(state.rowVersion(partition));
        }
        out.i32(state.batches().size());
        state.batches().forEach(batch -> write(batch, out));
        out.rebalance(state.rebalance());
    }

    private static void write(Member member, StateWriter out) {
        out.u8(member.lifecycle().code()).name(member.name());
        out.u8(member.versionSlot() == Member.NO_VERSION_SLOT ? NO_VERSION_SLOT : member.versionSlot());
        out.flag(member.incarnation().isPresent());
        member.incarnation().ifPresent(out::uuid);
        out.flag(member.attributes().isPresent());
        member.attributes().ifPresent(out::attributes);
    }

    private static void write(Batch batch, StateWriter out) {
        out.i64(batch.id()).i32(batch.from()).i32(batch.to()).u8(batch.phase().code());
        out.partitions(batch.partitions());
    }

    /**
     * Decodes a state and checks all its invariants.
     *
     * @param bytes the result of {@link #encode}; neither changed nor retained
     * @throws MalformedStateException if the bytes are no valid state, or of another version of the format
     */
    public static ClusterState decode(byte[] bytes) throws MalformedStateException {
        StateReader in = new StateReader(bytes);
        int format = in.u8("the version of the format");
        require(format == FORMAT || format == RECOVERED_FORMAT, format, RECOVERED_FORMAT);
        int kind = in.u8("the kind");
        if (kind != STATE) {
            throw new MalformedStateException("kind " + kind + " is no state");
        }
        try {
            ClusterState state = read(in, format);
            in.end();
            return state;
        } catch (IllegalArgumentException e) {
            // Records refuse values out of range.
            throw new MalformedStateException(String.valueOf(e.getMessage()));
        }
    }

    static void requireFormat(StateReader in) throws MalformedStateException {
        int format = in.u8("the version of the format");
        require(format == FORMAT, format, FORMAT);
    }

    private static void require(boolean readable, int format, int newest) throws MalformedStateException {
        if (!readable) {
            throw new MalformedStateException(
                    "it has version " + format + " of the format, and this node reads version " + newest);
        }
    }

    /** Reads a state and checks all its invariants. */
    private static ClusterState read(StateReader in, int format) throws MalformedStateException {
        UUID cluster = in.uuid("the cluster's identity");
        long epoch = in.i64("the epoch");
        AgreedSettings settings = in.settings();
        int count = in.count(MIN_MEMBER_BYTES, "members");
        List<Member> members = new ArrayList<>(count);
        for (int number = 1; number <= count; number++) {
            members.add(member(number, in));
        }
        MemberList list = new MemberList(members, in.voters());
        SlotTable slots = in.slots();
        long[] versions = in.versions(slots.partitions());
        int moving = in.count(MIN_BATCH_BYTES, "batches");
        List<Batch> batches = new ArrayList<>(moving);
        for (int i = 0; i < moving; i++) {
            long id = in.i64("a batch's number");
            int from = in.i32("a batch's source");
            int to = in.i32("a batch's target");
            Phase phase = in.phase("a batch's phase");
            batches.add(new Batch(id, from, to, in.partitions(), phase));
        }
        RebalanceSettings rebalance = in.rebalance();
        List<Long> recoveredFrom = format == RECOVERED_FORMAT ? in.epochs("recoveries") : List.of();
        ClusterState state =
                new ClusterState(cluster, epoch, settings, list, slots, versions, batches, rebalance, recoveredFrom);
        state.check();
        return state;
    }

    private static Member member(int number, StateReader in) throws MalformedStateException {
        Lifecycle lifecycle = in.lifecycle("a member's state");
        NodeId name = in.name();
        int slot = in.u8("a version slot");
        Optional<UUID> incarnation =
                in.flag("whether there is an incarnation") ? Optional.of(in.uuid("an incarnation")) : Optional.empty();
        Optional<MemberAttributes> attributes =
                in.flag("whether there are attributes") ? Optional.of(in.attributes()) : Optional.empty();
        return new Member(
                number,
                name,
                lifecycle,
                incarnation,
                attributes,
                slot == NO_VERSION_SLOT ? Member.NO_VERSION_SLOT : slot);
    }
}
