package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Batch;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The reason why a batch, a member or the cluster waits.
 *
 * @param batch the batch that waits; empty if it is none
 * @param member the member that waits, for example to be removed; empty if it is none
 * @param text what it waits for, for people, with the names of nodes
 * @param progresses whether it only takes time: no node is missing
 */
public record Wait(OptionalLong batch, OptionalInt member, String text, boolean progresses) {

    static Wait of(Batch batch, String text) {
        return new Wait(OptionalLong.of(batch.id()), OptionalInt.empty(), text, false);
    }

    /** Creates the wait of a batch that makes progress. */
    static Wait whileCopying(Batch batch, String text) {
        return new Wait(OptionalLong.of(batch.id()), OptionalInt.empty(), text, true);
    }

    static Wait of(Member member, String text) {
        return new Wait(OptionalLong.empty(), OptionalInt.of(member.number()), text, false);
    }

    static Wait ofCluster(String text) {
        return new Wait(OptionalLong.empty(), OptionalInt.empty(), text, false);
    }
}
