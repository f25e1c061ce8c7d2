package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.agreed.formation.FoundersCodec.MalformedListException;
import io.dht4j.core.internal.membership.codec.MalformedStateException;
import io.dht4j.core.internal.membership.codec.StateCodec;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.DivergedPartitions;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.Store;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * Stores a node's metadata about the cluster: its identity, the founders, and the newest state that it has installed. A
 * note begins with the version of its format (1 byte) and the CRC-32C of the rest (4 bytes). Blocks; for store threads.
 */
public final class NodeNotes {

    private static final String IDENTITY = "node-identity";
    private static final String FOUNDERS = "cluster-founders";
    private static final String STATE = "cluster-state";
    private static final String LOG = "log-member";
    private static final String DIVERGED = "diverged";

    /** The maximum number of nodes that a message names. */
    private static final int MOST_NAMED = 3;

    private static final int FORMAT = 1;
    private static final int HEAD_BYTES = 1 + Integer.BYTES;

    private final Store store;
    private final NodeId self;

    /**
     * The identity of a node.
     *
     * @param incarnation identifies the data directory
     * @param cluster the cluster; empty until the node belongs to one
     * @param binding the description that the store is bound to
     */
    public record Identity(UUID incarnation, Optional<UUID> cluster, String binding) {}

    /**
     * The node as a member of the topology log.
     *
     * @param id its identity there
     * @param begun the epoch at which the group of its members began
     * @param first the members with which it began, in order
     * @param applied the applied index of the node's own copy of the log, which was on its disk
     */
    public record LogMembership(UUID id, long begun, List<NodeRef> first, long applied) {

        /** Copies the list. */
        public LogMembership {
            first = List.copyOf(first);
        }

        /** Returns the same member with another applied index. */
        public LogMembership appliedTo(long index) {
            return new LogMembership(id, begun, first, index);
        }
    }

    /**
     * Creates an access to the notes of a store.
     *
     * @param store the store
     * @param self the name of the node, for messages
     */
    public NodeNotes(Store store, NodeId self) {
        this.store = store;
        this.self = self;
    }

    /**
     * Checks that a store belongs to no agreed cluster, and is not about to form one.
     *
     * @param store the store
     * @param self the name of the node, for messages
     * @throws IllegalStateException if it does, or a note cannot be read; the message names the remedy
     */
    public static void requireStatic(Store store, NodeId self) {
        NodeNotes notes = new NodeNotes(store, self);
        Optional<Founders> founders = notes.founders();
        Optional<Identity> identity = notes.identity();
        Optional<ClusterState> state = identity.flatMap(notes::state);
        Optional<UUID> cluster = identity.flatMap(Identity::cluster).or(() -> founders.map(Founders::cluster));
        if (cluster.isEmpty()) {
            return;
        }
        String others = state.stream()
                .flatMap(known -> known.members().all().stream())
                .filter(member ->
                        member.lifecycle().isPresent() && !member.name().equals(self))
                .limit(MOST_NAMED)
                .map(member -> member.name() + "=" + member.details().address())
                .collect(Collectors.joining(","));
        String way = others.isEmpty()
                ? "with Membership.bootstrap"
                        + founders.map(list -> " of " + list.proposal().list()).orElse(" or Membership.join, as before")
                : "with Membership.join of " + others;
        throw new IllegalStateException("the data directory of node " + self + " belongs to the agreed cluster "
                + cluster.get() + ", whose nodes may change: start it " + way);
    }

    public Optional<Identity> identity() {
        return read(IDENTITY, "the identity").map(bytes -> {
            try {
                DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
                UUID incarnation = FoundersCodec.uuid(in);
                Optional<UUID> cluster = in.readBoolean() ? Optional.of(FoundersCodec.uuid(in)) : Optional.empty();
                return new Identity(incarnation, cluster, in.readUTF());
            } catch (IOException e) {
                throw damaged("the identity", "it ends early");
            }
        });
    }

    public void keep(Identity identity) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            FoundersCodec.write(identity.incarnation(), out);
            out.writeBoolean(identity.cluster().isPresent());
            if (identity.cluster().isPresent()) {
                FoundersCodec.write(identity.cluster().get(), out);
            }
            out.writeUTF(identity.binding());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        keep(IDENTITY, bytes.toByteArray());
    }

    /** Returns the node as a member of the log that it has opened last. */
    public Optional<LogMembership> logMembership() {
        return read(LOG, "the member of the topology log").map(bytes -> {
            try {
                DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
                UUID id = FoundersCodec.uuid(in);
                long begun = in.readLong();
                int count = in.readUnsignedByte();
                List<NodeRef> first = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    first.add(new NodeRef(new NodeId(in.readUTF()), FoundersCodec.uuid(in)));
                }
                // 0.1.0 stores no index, and reads notes that have one.
                return new LogMembership(id, begun, first, in.available() < Long.BYTES ? 0 : in.readLong());
            } catch (IOException | IllegalArgumentException e) {
                throw damaged("the member of the topology log", String.valueOf(e.getMessage()));
            }
        });
    }

    public void keep(LogMembership membership) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            FoundersCodec.write(membership.id(), out);
            out.writeLong(membership.begun());
            out.writeByte(membership.first().size());
            for (NodeRef ref : membership.first()) {
                out.writeUTF(ref.name().value());
                FoundersCodec.write(ref.incarnation(), out);
            }
            out.writeLong(membership.applied());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        keep(LOG, bytes.toByteArray());
    }

    public Optional<Founders> founders() {
        return read(FOUNDERS, "the list of founders").map(bytes -> {
            try {
                return FoundersCodec.founders(bytes);
            } catch (MalformedListException e) {
                throw damaged("the list of founders", String.valueOf(e.getMessage()));
            }
        });
    }

    public void keep(Founders founders) {
        keep(FOUNDERS, FoundersCodec.encode(founders));
    }

    /** Returns the newest installed state of the node's cluster. */
    public Optional<ClusterState> state(Identity identity) {
        Optional<byte[]> note = read(STATE, "the agreed state");
        if (note.isEmpty()) {
            return Optional.empty();
        }
        ClusterState state;
        try {
            state = StateCodec.decode(note.get());
        } catch (MalformedStateException e) {
            throw damaged("the agreed state", String.valueOf(e.getMessage()));
        }
        if (!identity.cluster().equals(Optional.of(state.cluster()))) {
            throw new IllegalStateException("the data directory of node " + self + " belongs to "
                    + identity.cluster().map(id -> "the cluster " + id).orElse("no cluster")
                    + ", and the agreed state in it to the cluster " + state.cluster()
                    + ": parts of two directories are mixed. Restore the whole directory, or start " + self
                    + " with an empty one and " + Remedies.replace(self));
        }
        requireOwnName(state, identity);
        return Optional.of(state);
    }

    /** Without this, the node would start with an identity other than the stored one. */
    private void requireOwnName(ClusterState state, Identity identity) {
        state.members().incarnation(identity.incarnation()).map(Member::name).ifPresent(name -> {
            if (!name.equals(self)) {
                throw new IllegalStateException("the data directory of node " + self + " belongs to node " + name
                        + ": start it as " + name + ", or start " + self + " with a directory of its own");
            }
        });
    }

    /** Returns the partitions in which the node has diverged, which are stored here whenever they change. */
    public DivergedPartitions diverged() {
        return read(DIVERGED, "the note of diverged partitions")
                .map(bytes -> {
                    try {
                        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
                        return new DivergedPartitions(
                                this::keepDiverged, in.readLong(), PartitionSet.parse(in.readAllBytes()));
                    } catch (IOException | IllegalArgumentException e) {
                        throw damaged("the note of diverged partitions", String.valueOf(e.getMessage()));
                    }
                })
                .orElseGet(() -> new DivergedPartitions(this::keepDiverged, Epoch.NONE, PartitionSet.empty()));
    }

    private void keepDiverged(long epoch, PartitionSet partitions) {
        byte[] set = partitions.toBytes();
        keep(
                DIVERGED,
                ByteBuffer.allocate(Long.BYTES + set.length)
                        .putLong(epoch)
                        .put(set)
                        .array());
    }

    /** Stores an encoded state. */
    public void keepState(byte[] encoded) {
        keep(STATE, encoded);
    }

    private void keep(String name, byte[] content) {
        CRC32C sum = new CRC32C();
        sum.update(content);
        store.keepNote(
                name,
                ByteBuffer.allocate(HEAD_BYTES + content.length)
                        .put((byte) FORMAT)
                        .putInt((int) sum.getValue())
                        .put(content)
                        .array());
    }

    private Optional<byte[]> read(String name, String what) {
        Optional<byte[]> note = store.note(name);
        if (note.isEmpty()) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(note.get());
        if (in.remaining() < HEAD_BYTES) {
            throw damaged(what, "it has only " + in.remaining() + " bytes");
        }
        int format = in.get() & 0xFF;
        if (format != FORMAT) {
            throw new IllegalStateException(what + " of node " + self + " is stored in version " + format
                    + " of its format, and this node reads version " + FORMAT
                    + ": start the version of the software that has stored it, or a later one");
        }
        int sum = in.getInt();
        byte[] content = new byte[in.remaining()];
        in.get(content);
        CRC32C actual = new CRC32C();
        actual.update(content);
        if ((int) actual.getValue() != sum) {
            throw damaged(what, "its sum is wrong");
        }
        return Optional.of(content);
    }

    private IllegalStateException damaged(String what, String how) {
        return new IllegalStateException(what + " of node " + self + " is damaged, since " + how
                + ": restore the data directory, or start " + self
                + " with an empty one and " + Remedies.replace(self));
    }
}
