package io.dht4j.core.internal.coordinator;

import io.dht4j.Node;
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
        // Of two values of one version the tombstone wins; a value that is here is better than one to be fetched.
        return answer instanceof Answer.Whole;
    }

    /**
     * Whether the replica lacks an entry. Of a large value that it only named, the version decides: whether it is another value of the same
     * version is not known.
     */
    boolean isBehind(Entry entry) {
        return answer instanceof Answer.Whole whole
                ? entry.supersedes(whole.entry())
                : answer instanceof Answer.Absent
                        || Long.compareUnsigned(version(), entry.version().packed()) < 0;
    }

    private long version() {
        if (answer instanceof Answer.Whole whole) {
            return whole.entry().version().packed();
        }
        return answer instanceof Answer.VersionOnly only ? only.version().packed() : 0;
    }
}
