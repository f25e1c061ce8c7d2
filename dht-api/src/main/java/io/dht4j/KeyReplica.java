package io.dht4j;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The state of a key at one replica. Immutable.
 *
 * @param node the replica
 * @param state what it has, or that it did not answer
 * @param version the version of its entry; present with {@link State#VALUE} and {@link State#TOMBSTONE}
 * @param valueBytes the size of its value, 0 or more; present with {@link State#VALUE}
 * @param failure why it did not answer, one line for people; present with {@link State#UNKNOWN}
 */
public record KeyReplica(
        NodeId node, State state, Optional<Version> version, OptionalInt valueBytes, Optional<String> failure) {

    /** What a replica has of a key. */
    public enum State {
        /** A value, which may have expired. */
        VALUE,
        /** The mark of a delete, which is purged some time later. */
        TOMBSTONE,
        /** Nothing. */
        ABSENT,
        /** The replica did not answer in time, or refused. */
        UNKNOWN
    }
}
