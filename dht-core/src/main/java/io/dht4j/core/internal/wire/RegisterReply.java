package io.dht4j.core.internal.wire;

import io.dht4j.Version;
import io.dht4j.core.internal.atomic.Executed;
import io.dht4j.core.internal.atomic.Register;

/** The reply to a {@link RegisterRequest}. */
public sealed interface RegisterReply extends Reply {

    /**
     * The replica accepts no lower ballot.
     *
     * @param purged registers that were absent at this version may have been purged
     * @param held the accepted state
     */
    record Promised(Version purged, Answer held) implements RegisterReply {

        @Override
        public long valueBytes() {
            return bytesOf(held);
        }
    }

    /**
     * The replica holds the state, as durably as its store is configured.
     *
     * @param promisesNext whether it has promised the next ballot too, right after this one
     */
    record Accepted(boolean promisesNext) implements RegisterReply {}

    /**
     * The replica has promised, or accepted, another ballot.
     *
     * @param highest the highest ballot, which the next one must exceed
     */
    record Refused(Version highest) implements RegisterReply {}

    /**
     * The accepted state.
     *
     * @param purged registers that were absent at this version may have been purged
     * @param held the accepted state
     */
    record Held(Version purged, Answer held) implements RegisterReply {

        @Override
        public long valueBytes() {
            return bytesOf(held);
        }
    }

    /**
     * The operation was executed, or is known to have had an outcome before.
     *
     * @param executed its outcome
     * @param register the register afterwards; without the operations that it remembers
     */
    record Outcome(Executed executed, Register register) implements RegisterReply {

        @Override
        public long valueBytes() {
            return register.value().length;
        }
    }

    /**
     * The operation was not executed in this attempt. Whether it was in another one is not known.
     *
     * @param newest the version of the newest operation: one that begins at it is not forgotten for as long as possible
     */
    record Unknown(Version newest) implements RegisterReply {}

    private static long bytesOf(Answer held) {
        return held instanceof Answer.Whole whole ? whole.entry().value().length : 0;
    }
}
