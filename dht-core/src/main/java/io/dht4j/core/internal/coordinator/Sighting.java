package io.dht4j.core.internal.coordinator;

import io.dht4j.Node;
import io.dht4j.core.internal.hash.EntryDigest;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.spi.Entry;

/**
 * What a replica said of a key.
 *
 * @param node the replica
 * @param answer what it said
 */
record Sighting(Node node, Answer answer) {

    /** Whether this answer is to be preferred: newer, or as new and with the value. */
    boolean supersedes(Sighting other) {
        if (answer instanceof Answer.Absent) {
            return false;
        }
        if (other.answer instanceof Answer.Absent) {
            return true;
        }
        if (answer instanceof Answer.Whole mine && other.answer instanceof Answer.Whole theirs) {
            return mine.entry().supersedes(theirs.entry());
        }
        int byVersion = Long.compareUnsigned(version(), other.version());
        if (byVersion != 0) {
            return byVersion > 0;
        }
        if (answer instanceof Answer.Whole mine) {
            // A value that is here is better than the same one to be fetched; another one of this version may be the
            // winner.
            return other.answer instanceof Answer.VersionOnly only && isSame(mine, only);
        }
        return other.answer instanceof Answer.Whole theirs
                && answer instanceof Answer.VersionOnly only
                && !isSame(theirs, only);
    }

    /** Whether the replica lacks an entry, or may: of another value of the same version that it only named, it is not known which wins. */
    boolean isBehind(Entry entry) {
        if (answer instanceof Answer.Whole whole) {
            return entry.supersedes(whole.entry());
        }
        if (answer instanceof Answer.VersionOnly only) {
            int byVersion = Long.compareUnsigned(version(), entry.version().packed());
            return byVersion < 0 || (byVersion == 0 && only.digest() != EntryDigest.of(entry));
        }
        return true;
    }

    private static boolean isSame(Answer.Whole whole, Answer.VersionOnly only) {
        return only.digest() == EntryDigest.of(whole.entry());
    }

    private long version() {
        if (answer instanceof Answer.Whole whole) {
            return whole.entry().version().packed();
        }
        return answer instanceof Answer.VersionOnly only ? only.version().packed() : 0;
    }
}
