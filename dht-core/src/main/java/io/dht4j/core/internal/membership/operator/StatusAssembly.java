package io.dht4j.core.internal.membership.operator;

import io.dht4j.MembershipStatus;
import io.dht4j.MembershipStatus.Metadata;
import io.dht4j.MembershipStatus.Move;
import io.dht4j.MembershipStatus.State;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.driver.MoveSizes;
import io.dht4j.core.internal.membership.driver.Waits;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.PlannedBatch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Assembles a status from the agreed state, the plan, and the reports of the nodes. */
final class StatusAssembly {

    private final ClusterState state;
    private final NodeId self;
    private final Plan plan;
    private final Map<Integer, Reported> reports;
    private final Function<NodeId, Optional<Duration>> silence;
    private final Function<NodeId, Optional<String>> foreign;
    private final Waits waits;
    private final int[] owned;
    private final int[] toCome;
    private final int[] toGive;

    /**
     * Begins a status.
     *
     * @param state the agreed state
     * @param self the node that answers
     * @param plan the planned moves without the running batches
     * @param reports the reports of the members that have answered, by their numbers
     * @param silence returns how long a member has not answered
     * @param foreign returns the address of a member at which a node of another cluster answers
     */
    StatusAssembly(
            ClusterState state,
            NodeId self,
            Plan plan,
            Map<Integer, Reported> reports,
            Function<NodeId, Optional<Duration>> silence,
            Function<NodeId, Optional<String>> foreign) {
        this.state = state;
        this.self = self;
        this.plan = plan;
        this.reports = reports;
        this.silence = silence;
        this.foreign = foreign;
        this.waits = Waits.of(state, reports, member -> silence.apply(member.name()), plan);
        int size = state.members().size() + 1;
        this.owned = new int[size];
        this.toCome = new int[size];
        this.toGive = new int[size];
    }

    MembershipStatus status() {
        count();
        return new MembershipStatus(
                state.cluster(),
                self,
                state.epoch(),
                state.replicationFactor(),
                state.partitions(),
                state.members().all().stream()
                        .filter(member -> member.lifecycle() != Lifecycle.REMOVED)
                        .map(this::member)
                        .toList(),
                moves(),
                metadata(),
                new MembershipStatus.Rebalance(
                        state.rebalance().bytesPerSecond(),
                        state.rebalance().paused(),
                        reports.values().stream()
                                .filter(Reported::leads)
                                .flatMap(report -> report.waits().stream())
                                .distinct()
                                .collect(Collectors.joining("; "))));
    }

    private void count() {
        for (int partition = 0; partition < state.partitions(); partition++) {
            for (int slot = 0; slot < state.width(partition); slot++) {
                owned[state.slots().owner(partition, slot)]++;
            }
        }
        for (Batch batch : state.batches()) {
            int partitions = batch.partitions().cardinality();
            if (batch.phase() == Phase.FILL) {
                // Rows name the heir already.
                owned[batch.to()] -= partitions;
                toCome[batch.to()] += partitions;
            } else if (batch.phase() != Phase.UNDO) {
                toCome[batch.to()] += partitions;
                toGive[batch.from()] += batch.phase() == Phase.GROW ? 0 : partitions;
            }
        }
        for (PlannedBatch planned : plan.batches()) {
            toCome[planned.to()] += planned.partitions().cardinality();
            toGive[planned.from()] +=
                    planned.isGrowth() ? 0 : planned.partitions().cardinality();
        }
    }

    private MembershipStatus.Member member(Member member) {
        int number = member.number();
        Reported report = reports.get(number);
        boolean present = member.lifecycle().isPresent();
        Optional<MemberAttributes> details = member.attributes();
        return new MembershipStatus.Member(
                member.name(),
                number,
                State.valueOf(member.lifecycle().name()),
                details.map(MemberAttributes::address),
                details.map(MemberAttributes::publicAddresses).orElse(List.of()),
                details.map(MemberAttributes::weight).orElse(1),
                details.map(MemberAttributes::zone).orElse(""),
                owned[number],
                toCome[number],
                toGive[number],
                report == null ? OptionalLong.empty() : OptionalLong.of(report.epoch()),
                present && report == null && foreign(member).isEmpty()
                        ? silence.apply(member.name())
                        : Optional.empty(),
                waitsFor(member));
    }

    /** Describes a node of another cluster that answers in place of a member; empty if none does. */
    private Optional<String> foreign(Member member) {
        return member.lifecycle().isPresent() && !reports.containsKey(member.number())
                ? foreign.apply(member.name()).map(address -> "a node of another cluster answers at " + address)
                : Optional.empty();
    }

    private String waitsFor(Member member) {
        int number = member.number();
        String name = member.name().value();
        Optional<String> other = foreign(member);
        if (other.isPresent()) {
            return "the node itself: " + other.get();
        }
        switch (member.lifecycle()) {
            case ADMITTED -> {
                return "the node itself: start it with Membership.join";
            }
            case DEAD -> {
                if (owned[number] > 0) {
                    return "a node to take its place: start " + name
                            + " with an empty data directory and Membership.join";
                }
            }
            case LEAVING -> {
                if (owned[number] > toGive[number]) {
                    return "room for " + (owned[number] - toGive[number])
                            + " of its partitions, of which all other nodes are replicas: add a node";
                }
            }
            default -> {
                // Slots that it takes or gives are checked below.
            }
        }
        return state.rebalance().paused() && toCome[number] + toGive[number] > 0 ? Waits.PAUSED : waits.of(member);
    }

    private List<Move> moves() {
        Map<Long, BatchProgress> progress = new HashMap<>();
        reports.values().forEach(report -> report.batches().forEach(batch -> progress.put(batch.batch(), batch)));
        MoveSizes sizes = new MoveSizes(state, reports);
        List<Move> moves = new ArrayList<>();
        for (Batch batch : state.batches()) {
            Optional<BatchProgress> known = Optional.ofNullable(progress.get(batch.id()));
            long copied = known.map(BatchProgress::copiedBytes).orElse(0L);
            long total = known.map(BatchProgress::totalBytes)
                    .filter(bytes -> bytes > 0)
                    .orElseGet(() -> sizes.bytesOf(batch));
            moves.add(new Move(
                    batch.id(),
                    state.members().get(batch.from()).name(),
                    state.members().get(batch.to()).name(),
                    batch.partitions().cardinality(),
                    MembershipStatus.Phase.valueOf(batch.phase().name()),
                    copied,
                    Math.max(copied, total),
                    waitsFor(batch)));
        }
        return moves;
    }

    private String waitsFor(Batch batch) {
        if (state.rebalance().paused()) {
            return Waits.PAUSED;
        }
        return waits.of(batch);
    }

    private String silent(Member member) {
        Optional<String> other = foreign(member);
        if (other.isPresent()) {
            return member.name() + ", since " + other.get();
        }
        return member.name() + ", silent"
                + silence.apply(member.name())
                        .map(time -> " for " + time.toSeconds() + " s")
                        .orElse("");
    }

    /** Returns why voters that answer do not vote. */
    private Stream<String> troubles() {
        return reports.values().stream()
                .filter(report -> !report.leads())
                .flatMap(report -> report.waits().stream())
                .sorted();
    }

    /**
     * Until the members of the log have followed the voters, a majority of the voters need not be one of the log. The
     * members of the log are unknown if its last leader is lost.
     */
    private String election() {
        List<Member> silent = state.members().all().stream()
                .filter(member -> member.lifecycle().isPresent() && !reports.containsKey(member.number()))
                .toList();
        return "the election of a leader" + (silent.isEmpty() ? "" : ", which may need " + silent(silent));
    }

    private String silent(List<Member> members) {
        return members.stream().map(this::silent).collect(Collectors.joining("; "));
    }

    private Metadata metadata() {
        List<Member> voters = state.members().voters().stream()
                .map(number -> state.members().get(number))
                .toList();
        Optional<NodeId> leader = reports.entrySet().stream()
                .filter(report -> report.getValue().leads())
                .max(Comparator.comparingLong(report -> report.getValue().epoch()))
                .map(report -> state.members().get(report.getKey()).name());
        List<Member> missing = voters.stream()
                .filter(voter -> !reports.containsKey(voter.number()))
                .toList();
        String waitsFor = "";
        if (missing.size() * 2 >= voters.size()) {
            waitsFor = "a majority of the voters: " + silent(missing);
        } else {
            waitsFor = Stream.concat(leader.isEmpty() ? Stream.of(election()) : Stream.empty(), troubles())
                    .collect(Collectors.joining("; "));
        }
        return new Metadata(
                voters.stream().map(Member::name).toList(),
                state.members().group().wanted(),
                leader,
                waitsFor);
    }
}
