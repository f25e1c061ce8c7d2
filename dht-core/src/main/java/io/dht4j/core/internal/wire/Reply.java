package io.dht4j.core.internal.wire;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Optional;

/** A replica's reply to a request. */
public sealed interface Reply
        permits Reply.Found,
                Reply.Applied,
                Reply.Page,
                Reply.Pong,
                Reply.Features,
                Reply.Batch,
                Reply.Failed,
                Reply.OtherSettings,
                RepairReply,
                MembershipReply,
                RegisterReply,
                Reply.SnapshotOpened,
                Reply.SnapshotDone,
                Reply.SnapshotLacks {

    /**
     * Returns the number of bytes of values in the reply.
     *
     * @return 0 for most
     */
    default long valueBytes() {
        return 0;
    }

    /**
     * The reply to {@link Request.ReadKeys} or {@link RepairRequest.Entries}.
     *
     * @param answers one for each requested key, in the same order
     */
    record Found(List<Answer> answers) implements Reply {

        @Override
        public long valueBytes() {
            long bytes = 0;
            for (int i = 0; i < answers.size(); i++) {
                bytes += answers.get(i) instanceof Answer.Whole whole
                        ? whole.entry().value().length
                        : 0;
            }
            return bytes;
        }
    }

    /**
     * Every entry is merged, and durable as the replica's store is configured.
     *
     * @param newer the entries that are not the newest of their keys on the replica, in ascending order of their
     *     indexes; mostly none
     */
    record Applied(List<Newer> newer) implements Reply {

        /** All entries were the newest of their keys. */
        public static final Applied AS_NEWEST = new Applied(List.of());
    }

    /**
     * A newer version that a replica held of a merged entry's key, or a code for an unknown one.
     *
     * @param index the entry's index in the request
     * @param version the held version; {@link #UNKNOWN} if the replica has lost its content and is being refilled,
     *     {@link #TOO_FAR_AHEAD} if a wrong clock issued it
     */
    record Newer(int index, Version version) {

        /** The version is unknown to the replica. */
        public static final Version UNKNOWN = new Version(0);

        /** The version is too far ahead of the replica's clock: coordinators do not follow it. */
        public static final Version TOO_FAR_AHEAD = new Version(-1);
    }

    /**
     * A page of a range.
     *
     * @param entries in ascending order of their keys, tombstones and expired entries included
     * @param resume where the next page starts, or empty at the end of the range
     */
    record Page(List<Entry> entries, Optional<Key> resume) implements Reply {

        @Override
        public long valueBytes() {
            long bytes = 0;
            for (int i = 0; i < entries.size(); i++) {
                bytes += entries.get(i).value().length;
            }
            return bytes;
        }
    }

    /** The reply to a ping. */
    record Pong() implements Reply {}

    /**
     * The reply to {@link Request.Features}.
     *
     * @param known a bit for each optional field that the node reads; unknown ones are ignored
     */
    record Features(long known) implements Reply {

        /** The bit of trace contexts. */
        public static final long TRACES = 1;

        /** The bit of nodes that serve registers. */
        public static final long REGISTERS = 2;

        /** The bit of nodes that have served a register, as nodes do once all members have announced it. */
        public static final long REGISTERS_USED = 4;

        /**
         * Returns whether the node reads trace contexts.
         *
         * @return whether it may be sent frames with them
         */
        public boolean readsTraces() {
            return (known & TRACES) != 0;
        }

        /** Returns whether the node serves registers. */
        public boolean servesRegisters() {
            return (known & REGISTERS) != 0;
        }

        /** Returns whether the node has served a register. */
        public boolean hasUsedRegisters() {
            return (known & REGISTERS_USED) != 0;
        }
    }

    /**
     * The replica keeps superseded entries from now on.
     *
     * @param clock not older than any entry in the store
     */
    record SnapshotOpened(Version clock) implements Reply {}

    /** The request about a snapshot has been carried out. */
    record SnapshotDone() implements Reply {}

    /**
     * The replica's snapshot will never contain all partitions of a {@link Request.SnapshotPage}: it has received some
     * of them since the snapshot was opened.
     *
     * @param partitions the missing ones of the requested partitions
     */
    record SnapshotLacks(PartitionSet partitions) implements Reply {}

    /**
     * The reply to a {@link Request.Batch}.
     *
     * @param replies one for each part, in the same order
     */
    record Batch(List<Reply> replies) implements Reply {}

    /**
     * The request was not executed.
     *
     * @param code the reason
     * @param message one line for people
     */
    record Failed(ErrorCode code, String message) implements Reply {}

    /**
     * The request was not executed, since the nodes' settings differ.
     *
     * @param settings the settings of the node that refuses
     */
    record OtherSettings(ClusterSettings settings) implements Reply {}
}
