package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.Node;
import io.dht4j.Version;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.spi.Entry;
import java.util.Optional;

/** What a replica said of a key. Immutable. */
public final class ReplicaAnswer {

    private final Node node;
    private final Answer answer;

    /**
     * What a replica said.
     *
     * @param node the replica
     * @param answer what it said
     */
    public ReplicaAnswer(Node node, Answer answer) {
        this.node = node;
        this.answer = answer;
    }

    public Node node() {
        return node;
    }

    /** What it holds, if that came along. */
    public Optional<Entry> entry() {
        return answer instanceof Answer.Whole whole ? Optional.of(whole.entry()) : Optional.empty();
    }

    /** The version of what it holds; empty if it holds nothing. */
    public Optional<Version> version() {
        if (answer instanceof Answer.Whole whole) {
            return Optional.of(whole.entry().version());
        }
        return answer instanceof Answer.VersionOnly only ? Optional.of(only.version()) : Optional.empty();
    }

    /** Whether it holds something that did not come along. */
    public boolean isNamedOnly() {
        return answer instanceof Answer.VersionOnly;
    }

    /** How many bytes the value has that it holds. */
    public int valueBytes() {
        return answer instanceof Answer.VersionOnly only
                ? only.valueBytes()
                : entry().map(entry -> entry.value().length).orElse(0);
    }

    /** Whether two that hold something hold the same; large values are looked at only if their versions are equal. */
    public boolean isSameAs(ReplicaAnswer other) {
        return version().equals(other.version()) && digest() == other.digest();
    }

    private int digest() {
        return answer instanceof Answer.VersionOnly only
                ? only.digest()
                : entry().map(Entry::digest).orElse(0);
    }

    /**
     * Whether the replica lacks what another one holds, or may: of another value of the same version that it only
     * named, it is not known which wins.
     *
     * @param other one that came with its entry
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
