package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Makes commands that are mostly possible in a state, and sometimes not. */
final class RandomCommands {

    private final SplittableRandom random;
    private int directories = 1000;

    RandomCommands(SplittableRandom random) {
        this.random = random;
    }

    Command next(ClusterState state) {
        long epoch = random.nextInt(40) == 0 ? state.epoch() - 1 : state.epoch();
        int known = state.members().size();
        int member = random.nextInt(50) == 0 ? random.nextInt(-1, known + 3) : 1 + random.nextInt(known);
        int other = 1 + random.nextInt(known);
        return switch (random.nextInt(28)) {
            case 0 -> new Command.Admit(epoch, Clusters.name(random.nextInt(3) == 0 ? member + 1 : known + 1));
            case 1, 2 -> join(state, epoch, other);
            case 3 -> new Command.Serve(epoch, member);
            case 4 -> new Command.ChangeAttributes(epoch, member, attributes());
            case 5 -> new Command.Leave(epoch, member);
            case 6, 7 -> new Command.Remove(epoch, member);
            case 8 -> new Command.ReleaseVersionSlot(epoch, member);
            case 9 -> new Command.MarkDead(epoch, member, random.nextInt(4) == 0);
            case 10, 11 -> new Command.Replace(epoch, member, Clusters.incarnation(directories++), attributes());
            case 12 ->
                random.nextInt(3) > 0
                        ? new Command.SetVoters(epoch, List.of(other))
                        : new Command.SetVoters(epoch, List.of(Math.min(member, other), Math.max(member, other)));
            case 13 ->
                random.nextInt(4) == 0
                        ? new Command.SetVoterCount(epoch, random.nextInt(2, 9))
                        : new Command.SetRebalance(epoch, new RebalanceSettings(1 << 20, random.nextInt(8) == 0));
            case 14 ->
                random.nextInt(5) == 0
                        ? new Command.Recover(epoch, List.of(other))
                        : new Command.Admit(epoch, Clusters.name(known + 1));
            case 15, 16, 17, 18 -> new Command.StartBatch(epoch, member, other, partitions(state, member, other));
            case 19 -> new Command.SetReplicationFactor(epoch, random.nextInt(state.replicationFactor() + 3));
            case 20, 21, 22 -> new Command.StartGrow(epoch, member, other, growable(state, member, other));
            default -> onBatch(state, epoch);
        };
    }

    private Command join(ClusterState state, long epoch, int any) {
        List<Member> admitted = state.members().all().stream()
                .filter(member -> member.lifecycle() == Lifecycle.ADMITTED)
                .toList();
        Member member = admitted.isEmpty() ? state.members().get(any) : admitted.get(random.nextInt(admitted.size()));
        int directory = random.nextInt(10) == 0 ? any : directories++;
        return new Command.Join(
                epoch,
                member.name(),
                Clusters.incarnation(directory),
                attributes(),
                random.nextInt(10) == 0 ? Map.of("hash", "other") : Map.of("hash", "xxh3"));
    }

    private MemberAttributes attributes() {
        String zone = random.nextBoolean() ? "" : "z" + random.nextInt(4);
        return Clusters.attributes(random.nextInt(40))
                .withWeight(1 + random.nextInt(5))
                .withZone(zone);
    }

    private PartitionSet partitions(ClusterState state, int from, int to) {
        int share = 1 + random.nextInt(4);
        boolean blind = random.nextInt(20) == 0;
        return PartitionSet.matching(
                state.partitions(),
                p -> random.nextInt(share) == 0
                        && (blind
                                || (state.slots().slotOf(p, from) >= 0
                                        && !state.involves(p, to)
                                        && state.batchOf(p)
                                                .map(batch -> batch.owner() == from && batch.phase() == Phase.FILL)
                                                .orElse(true))));
    }

    private PartitionSet growable(ClusterState state, int from, int to) {
        boolean blind = random.nextInt(20) == 0;
        return PartitionSet.matching(
                state.partitions(),
                p -> random.nextBoolean()
                        && (blind
                                || (state.width(p) < state.replicationFactor()
                                        && state.slots().owner(p, state.width(p) - 1) == from
                                        && !state.involves(p, to)
                                        && state.batchOf(p).isEmpty())));
    }

    private Command onBatch(ClusterState state, long epoch) {
        if (state.batches().isEmpty()) {
            return new Command.AbortBatch(epoch, state.epoch());
        }
        Batch batch = state.batches().get(random.nextInt(state.batches().size()));
        int chance = random.nextInt(12);
        if (chance == 0) {
            return new Command.AbortBatch(epoch, batch.id());
        }
        if (chance == 1) {
            return new Command.AdvanceBatch(epoch, batch.id(), Phase.values()[random.nextInt(Phase.values().length)]);
        }
        return switch (batch.phase()) {
            case COPY -> new Command.AdvanceBatch(epoch, batch.id(), Phase.BOTH);
            case BOTH -> new Command.AdvanceBatch(epoch, batch.id(), Phase.STABLE);
            case UNDO -> new Command.AbortBatch(epoch, batch.id());
            case GROW ->
                new Command.CompleteGrow(epoch, batch.id(), batch.partitions().filter(p -> random.nextInt(3) > 0));
            default ->
                new Command.CompleteFill(epoch, batch.id(), batch.partitions().filter(p -> random.nextInt(3) > 0));
        };
    }
}
