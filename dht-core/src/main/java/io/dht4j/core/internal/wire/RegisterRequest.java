package io.dht4j.core.internal.wire;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.spi.Entry;

/**
 * A request about the register of one key. The first three are those of a proposer to the replicas, after D. Rystsov,
 * <em>CASPaxos: Replicated State Machines without logs</em>, 2018; the last one is that of a coordinator to a proposer.
 */
public sealed interface RegisterRequest extends Request {

    /** Returns the key of the register, in the space of registers. */
    Key key();

    /**
     * Requests the promise to accept no lower ballot.
     *
     * @param key the key
     * @param ballot the ballot
     */
    record Prepare(Key key, Version ballot) implements RegisterRequest {}

    /**
     * Accepts a state, if its ballot is the one that the replica has promised, and promises the next ballot of the same
     * proposer: with the promises of a majority, that can propose a change of this state at once.
     *
     * @param entry the register as an entry, whose version is the ballot
     * @param next the ballot to be promised, or {@link #NO_BALLOT}
     */
    record Accept(Entry entry, Version next) implements RegisterRequest {

        /** In place of the next ballot: none is to be promised. */
        public static final Version NO_BALLOT = new Version(0);

        /** Returns whether a ballot is to be promised. */
        public boolean hasNext() {
            return !next.equals(NO_BALLOT);
        }

        @Override
        public Key key() {
            return entry.key();
        }
    }

    /**
     * Reads the accepted state.
     *
     * @param key the key
     */
    record Read(Key key) implements RegisterRequest {}

    /**
     * Executes an operation as its proposer.
     *
     * @param key the key
     * @param operation the operation
     */
    record Execute(Key key, Operation operation) implements RegisterRequest {}
}
