package io.dht4j.transport.grpc.api.internal.common;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipStatus;
import io.dht4j.MembershipStatus.Member;
import io.dht4j.MembershipStatus.Metadata;
import io.dht4j.MembershipStatus.Move;
import io.dht4j.MembershipStatus.Phase;
import io.dht4j.MembershipStatus.Rebalance;
import io.dht4j.MembershipStatus.State;
import io.dht4j.NodeId;
import io.dht4j.RebalancePlan;
import io.dht4j.v1.ChangeMembershipRequest;
import io.dht4j.v1.ChangeMembershipRequest.Named;
import io.dht4j.v1.MembershipResponse;
import io.dht4j.v1.PlanRebalanceResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Collectors;

/** Translates the messages of the membership, in both directions. */
public final class MembershipMessages {

    private MembershipMessages() {}

    /** Converts a status. */
    public static MembershipResponse message(MembershipStatus status) {
        MembershipResponse.Builder message = MembershipResponse.newBuilder()
                .setCluster(status.cluster().toString())
                .setId(status.node().value())
                .setEpoch(status.epoch())
                .setReplicationFactor(status.replicationFactor())
                .setPartitions(status.partitions())
                .setWaitsFor(status.metadata().waitsFor())
                .setBytesPerSecond(status.rebalance().bytesPerSecond())
                .setPaused(status.rebalance().paused())
                .setRebalanceWaitsFor(status.rebalance().waitsFor());
        status.members().forEach(member -> message.addMembers(message(member)));
        status.moves().forEach(move -> message.addMoves(message(move)));
        status.metadata().voters().forEach(voter -> message.addVoters(voter.value()));
        message.setWantedVoters(status.metadata().wantedVoters());
        status.metadata().leader().ifPresent(leader -> message.setLeader(leader.value()));
        return message.build();
    }

    private static MembershipResponse.Member message(Member member) {
        MembershipResponse.Member.Builder message = MembershipResponse.Member.newBuilder()
                .setId(member.name().value())
                .setNumber(member.number())
                .setState(MembershipResponse.Member.State.valueOf(member.state().name()))
                .addAllPublicAddresses(member.publicAddresses())
                .setWeight(member.weight())
                .setZone(member.zone())
                .setPartitions(member.partitions())
                .setToCome(member.toCome())
                .setToGive(member.toGive())
                .setWaitsFor(member.waitsFor());
        member.address().ifPresent(message::setAddress);
        member.epoch().ifPresent(message::setEpoch);
        member.silence().ifPresent(silence -> message.setSilentMillis(silence.toMillis()));
        return message.build();
    }

    private static MembershipResponse.Move message(Move move) {
        return MembershipResponse.Move.newBuilder()
                .setBatch(move.batch())
                .setFrom(move.from().value())
                .setTo(move.to().value())
                .setPartitions(move.partitions())
                .setPhase(MembershipResponse.Move.Phase.valueOf(move.phase().name()))
                .setCopiedBytes(move.copiedBytes())
                .setTotalBytes(move.totalBytes())
                .setWaitsFor(move.waitsFor())
                .build();
    }

    /**
     * Reads a status.
     *
     * @throws IllegalArgumentException if a field is missing or out of range
     */
    public static MembershipStatus status(MembershipResponse message) {
        return new MembershipStatus(
                UUID.fromString(message.getCluster()),
                new NodeId(message.getId()),
                message.getEpoch(),
                message.getReplicationFactor(),
                message.getPartitions(),
                message.getMembersList().stream()
                        .map(MembershipMessages::member)
                        .toList(),
                message.getMovesList().stream().map(MembershipMessages::move).toList(),
                new Metadata(
                        message.getVotersList().stream().map(NodeId::new).toList(),
                        message.getWantedVoters(),
                        message.hasLeader() ? Optional.of(new NodeId(message.getLeader())) : Optional.empty(),
                        message.getWaitsFor()),
                new Rebalance(message.getBytesPerSecond(), message.getPaused(), message.getRebalanceWaitsFor()));
    }

    private static Member member(MembershipResponse.Member message) {
        return new Member(
                new NodeId(message.getId()),
                message.getNumber(),
                State.valueOf(message.getState().name()),
                message.hasAddress() ? Optional.of(message.getAddress()) : Optional.empty(),
                List.copyOf(message.getPublicAddressesList()),
                message.getWeight(),
                message.getZone(),
                message.getPartitions(),
                message.getToCome(),
                message.getToGive(),
                message.hasEpoch() ? OptionalLong.of(message.getEpoch()) : OptionalLong.empty(),
                message.hasSilentMillis()
                        ? Optional.of(Duration.ofMillis(message.getSilentMillis()))
                        : Optional.empty(),
                message.getWaitsFor());
    }

    private static Move move(MembershipResponse.Move message) {
        return new Move(
                message.getBatch(),
                new NodeId(message.getFrom()),
                new NodeId(message.getTo()),
                message.getPartitions(),
                Phase.valueOf(message.getPhase().name()),
                message.getCopiedBytes(),
                message.getTotalBytes(),
                message.getWaitsFor());
    }

    /** Converts a plan. */
    public static PlanRebalanceResponse message(RebalancePlan plan) {
        PlanRebalanceResponse.Builder message =
                PlanRebalanceResponse.newBuilder().setEpoch(plan.epoch()).setUnplaced(plan.unplaced());
        plan.moves()
                .forEach(move -> message.addMoves(PlanRebalanceResponse.Move.newBuilder()
                        .setFrom(move.from().value())
                        .setTo(move.to().value())
                        .setPartitions(move.partitions())
                        .setAdds(move.adds())));
        return message.build();
    }

    /** Reads a plan. */
    public static RebalancePlan plan(PlanRebalanceResponse message) {
        return new RebalancePlan(
                message.getEpoch(),
                message.getMovesList().stream()
                        .map(move -> new RebalancePlan.Move(
                                new NodeId(move.getFrom()),
                                new NodeId(move.getTo()),
                                move.getPartitions(),
                                move.getAdds()))
                        .toList(),
                message.getUnplaced());
    }

    /** Converts a change. */
    public static ChangeMembershipRequest message(MembershipChange change) {
        ChangeMembershipRequest.Builder message = ChangeMembershipRequest.newBuilder();
        if (change instanceof MembershipChange.Add add) {
            message.setAdd(named(add.node()));
        } else if (change instanceof MembershipChange.Remove remove) {
            message.setRemove(named(remove.node()));
        } else if (change instanceof MembershipChange.Replace replace) {
            message.setReplace(ChangeMembershipRequest.Replace.newBuilder()
                    .setId(replace.node().value())
                    .setAcceptDataLoss(replace.acceptDataLoss()));
        } else if (change instanceof MembershipChange.Update update) {
            message.setUpdate(message(update));
        } else if (change instanceof MembershipChange.Rebalance rebalance) {
            ChangeMembershipRequest.Rebalance.Builder body = ChangeMembershipRequest.Rebalance.newBuilder();
            rebalance.paused().ifPresent(body::setPaused);
            rebalance.bytesPerSecond().ifPresent(body::setBytesPerSecond);
            message.setRebalance(body);
        } else if (change instanceof MembershipChange.CancelMoves) {
            message.setCancelMoves(ChangeMembershipRequest.CancelMoves.getDefaultInstance());
        } else if (change instanceof MembershipChange.ReplicationFactor factor) {
            message.setReplicationFactor(
                    ChangeMembershipRequest.ReplicationFactor.newBuilder().setReplicas(factor.replicas()));
        } else if (change instanceof MembershipChange.Voters voters) {
            message.setVoters(ChangeMembershipRequest.Voters.newBuilder().setVoters(voters.voters()));
        } else if (change instanceof MembershipChange.Recover recover) {
            message.setRecover(ChangeMembershipRequest.Recover.newBuilder()
                    .addAllLost(recover.lost().stream().map(NodeId::value).toList())
                    .setAcceptDataLoss(recover.acceptDataLoss()));
        }
        return message.build();
    }

    private static ChangeMembershipRequest.Update message(MembershipChange.Update update) {
        ChangeMembershipRequest.Update.Builder message =
                ChangeMembershipRequest.Update.newBuilder().setId(update.node().value());
        update.address().ifPresent(message::setAddress);
        update.publicAddresses()
                .ifPresent(addresses -> message.setPublicAddresses(
                        ChangeMembershipRequest.Addresses.newBuilder().addAllAddresses(addresses)));
        update.zone().ifPresent(message::setZone);
        update.weight().ifPresent(message::setWeight);
        return message.build();
    }

    private static Named named(NodeId node) {
        return Named.newBuilder().setId(node.value()).build();
    }

    /**
     * Reads a change.
     *
     * @throws InvalidRequestException if there is none, or a field is out of range
     */
    public static MembershipChange change(ChangeMembershipRequest message) {
        try {
            return switch (message.getChangeCase()) {
                case ADD -> new MembershipChange.Add(new NodeId(message.getAdd().getId()));
                case REMOVE ->
                    new MembershipChange.Remove(new NodeId(message.getRemove().getId()));
                case REPLACE ->
                    new MembershipChange.Replace(
                            new NodeId(message.getReplace().getId()),
                            message.getReplace().getAcceptDataLoss());
                case UPDATE -> update(message.getUpdate());
                case REBALANCE -> rebalance(message.getRebalance());
                case CANCEL_MOVES -> new MembershipChange.CancelMoves();
                case REPLICATION_FACTOR ->
                    new MembershipChange.ReplicationFactor(
                            message.getReplicationFactor().getReplicas());
                case RECOVER ->
                    new MembershipChange.Recover(
                            message.getRecover().getLostList().stream()
                                    .map(NodeId::new)
                                    .collect(Collectors.toSet()),
                            message.getRecover().getAcceptDataLoss());
                case VOTERS -> new MembershipChange.Voters(message.getVoters().getVoters());
                case CHANGE_NOT_SET ->
                    throw new IllegalArgumentException(
                            "change must be add, remove, replace, update, rebalance, cancel_moves, recover,"
                                    + " replication_factor or voters, and is missing");
            };
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    private static MembershipChange update(ChangeMembershipRequest.Update message) {
        return new MembershipChange.Update(
                new NodeId(message.getId()),
                message.hasAddress() ? Optional.of(message.getAddress()) : Optional.empty(),
                message.hasPublicAddresses()
                        ? Optional.of(List.copyOf(message.getPublicAddresses().getAddressesList()))
                        : Optional.empty(),
                message.hasZone() ? Optional.of(message.getZone()) : Optional.empty(),
                message.hasWeight() ? OptionalInt.of(message.getWeight()) : OptionalInt.empty());
    }

    private static MembershipChange rebalance(ChangeMembershipRequest.Rebalance message) {
        return new MembershipChange.Rebalance(
                message.hasPaused() ? Optional.of(message.getPaused()) : Optional.empty(),
                message.hasBytesPerSecond() ? OptionalLong.of(message.getBytesPerSecond()) : OptionalLong.empty());
    }
}
