package io.dht4j.core.internal.membership.operator;

import io.dht4j.MembershipEvent;
import io.dht4j.MembershipEvent.Kind;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Batch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Derives the events between two states. */
final class EventDifference {

    private EventDifference() {}

    static List<MembershipEvent> between(ClusterState before, ClusterState after) {
        List<MembershipEvent> events = new ArrayList<>();
        for (Member member : after.members().all()) {
            Optional<Member> known = before.members().has(member.number())
                    ? Optional.of(before.members().get(member.number()))
                    : Optional.empty();
            kind(known, member)
                    .ifPresent(kind ->
                            events.add(new MembershipEvent(kind, member.name(), member.name(), 0, after.epoch())));
        }
        before.batches().stream()
                .filter(batch -> after.batch(batch.id()).isEmpty())
                .forEach(batch -> events.add(move(Kind.MOVE_ENDED, after, batch)));
        after.batches().stream()
                .filter(batch -> before.batch(batch.id()).isEmpty())
                .forEach(batch -> events.add(move(Kind.MOVE_BEGUN, after, batch)));
        return events;
    }

    private static Optional<Kind> kind(Optional<Member> before, Member member) {
        if (before.map(Member::lifecycle).equals(Optional.of(member.lifecycle()))) {
            return before.get().attributes().equals(member.attributes())
                    ? Optional.empty()
                    : Optional.of(Kind.NODE_CHANGED);
        }
        if (member.lifecycle() == Lifecycle.REMOVED && before.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                switch (member.lifecycle()) {
                    case ADMITTED -> Kind.NODE_ADMITTED;
                    case JOINING -> Kind.NODE_JOINED;
                    case SERVING -> Kind.NODE_SERVES;
                    case LEAVING -> Kind.NODE_LEAVING;
                    case DEAD -> Kind.NODE_DEAD;
                    case REMOVED -> Kind.NODE_LEFT;
                });
    }

    private static MembershipEvent move(Kind kind, ClusterState state, Batch batch) {
        return new MembershipEvent(
                kind,
                state.members().get(batch.from()).name(),
                state.members().get(batch.to()).name(),
                batch.partitions().cardinality(),
                state.epoch());
    }
}
