package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.Node;
import io.dht4j.Version;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.spi.Entry;
import java.util.Optional;

/** The answer of a replica to the query of a key. Immutable. */
public final class ReplicaAnswer {

    private final Node node;
    private final Answer answer;

    /**
     * Creates an answer.
     *
     * @param node the replica
     * @param answer the decoded answer
     */
    public ReplicaAnswer(Node node, Answer answer) {
        this.node = node;
        this.answer = answer;
    }

    /**
     * Returns the replica.
     *
     * @return the sender of the answer
     */
    public Node node() {
        return node;
    }

    /**
     * Returns the replica's entry.
     *
     * @return empty if there is none, or if only its version was sent
     */
    public Optional<Entry> entry() {
        return answer instanceof Answer.Whole whole ? Optional.of(whole.entry()) : Optional.empty();
    }

    /**
     * Returns the version of the replica's entry.
     *
     * @return empty if there is none
     */
    public Optional<Version> version() {
        if (answer instanceof Answer.Whole whole) {
            return Optional.of(whole.entry().version());
        }
        return answer instanceof Answer.VersionOnly only ? Optional.of(only.version()) : Optional.empty();
    }

    /**
     * Returns whether only the version of the replica's entry was sent.
     *
     * @return true for large values that were not asked for
     */
    public boolean isNamedOnly() {
        return answer instanceof Answer.VersionOnly;
    }

    /**
     * Returns the size of the replica's value.
     *
     * @return bytes; 0 if there is none
     */
    public int valueBytes() {
        return answer instanceof Answer.VersionOnly only
                ? only.valueBytes()
                : entry().map(entry -> entry.value().length).orElse(0);
    }

    /**
     * Returns whether two replicas hold equal entries. Reads the bytes of values only if the versions are equal.
     *
     * @param other the answer of another replica; both have entries
     * @return true if versions and digests are equal
     */
    public boolean isSameAs(ReplicaAnswer other) {
        return version().equals(other.version()) && digest() == other.digest();
    }

    private int digest() {
        return answer instanceof Answer.VersionOnly only
                ? only.digest()
                : entry().map(Entry::digest).orElse(0);
    }

    /**
     * Returns whether the replica lacks an entry, or may lack it: if only its version was sent, and it is the same
     * version of another value, it is unknown which value is the newer one.
     *
     * @param other the answer of another replica, with its entry
     * @return true if the replica is to be repaired
     */
    public boolean isBehind(ReplicaAnswer other) {
        Entry theirs = other.entry().orElseThrow();
        Optional<Entry> mine = entry();
        if (mine.isPresent()) {
            return theirs.supersedes(mine.get());
        }
        Optional<Version> version = version();
        if (version.isEmpty()) {
            return true;
        }
        int byVersion = version.get().compareTo(theirs.version());
        return byVersion < 0 || (byVersion == 0 && !isSameAs(other));
    }

    @Override
    public String toString() {
        return node.id() + ": " + answer;
    }
}
