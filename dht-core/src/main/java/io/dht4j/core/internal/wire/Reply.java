package io.dht4j.core.internal.wire;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Optional;

/** What a replica answers. */
public sealed interface Reply
        permits Reply.Found,
                Reply.Applied,
                Reply.Page,
                Reply.Pong,
                Reply.Batch,
                Reply.Failed,
                Reply.OtherSettings,
                RepairReply,
                Reply.CutOpened,
                Reply.CutDone {

    /**
     * How many bytes of values it brings.
     *
     * @return 0 for most
     */
    default long valueBytes() {
        return 0;
    }

    /**
     * The answers to {@link Request.ReadKeys} or {@link RepairRequest.Entries}.
     *
     * @param answers one for each key asked for, in the same order
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
     * Every entry was merged and is durable as the replica's store is configured.
     *
     * @param newer which of them the replica does not hold as the newest of their keys, in ascending order of their
     *     places; mostly none
     */
    record Applied(List<Newer> newer) implements Reply {

        /** All entries were the newest of their keys. */
        public static final Applied AS_NEWEST = new Applied(List.of());
    }

    /**
     * A replica held something newer than an entry that it merged, or cannot tell.
     *
     * @param index the entry's place in the request
     * @param version of what it held; {@link #UNKNOWN} if it has lost what it held and is getting it back,
     *     {@link #TOO_FAR_AHEAD} if a wrong clock gave it
     */
    record Newer(int index, Version version) {

        /** In place of a version that the replica cannot tell. */
        public static final Version UNKNOWN = new Version(0);

        /** In place of a version that is too far ahead of the replica's clock: a coordinator must not follow it. */
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

    /** Answers a ping. */
    record Pong() implements Reply {}

    /**
     * What writes supersede is kept from now on.
     *
     * @param clock not older than anything that is in the store
     */
    record CutOpened(Version clock) implements Reply {}

    /** What was asked of a cut is done. */
    record CutDone() implements Reply {}

    /**
     * The answers to a {@link Request.Batch}.
     *
     * @param replies one for each part, in the same order
     */
    record Batch(List<Reply> replies) implements Reply {}

    /**
     * The request was not carried out.
     *
     * @param code why
     * @param message one line for people
     */
    record Failed(ErrorCode code, String message) implements Reply {}

    /**
     * The request was not carried out, since what must be equal on all nodes is not.
     *
     * @param settings those of the node that refuses
     */
    record OtherSettings(ClusterSettings settings) implements Reply {}
}
