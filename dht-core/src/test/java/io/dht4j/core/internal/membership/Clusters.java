package io.dht4j.core.internal.membership;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.Placements;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.command.CommandResult;
import io.dht4j.core.internal.membership.command.StateMachine;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.spi.Placement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Builds states for tests through commands. */
public final class Clusters {

    public static final UUID CLUSTER = UUID.nameUUIDFromBytes(new byte[] {1});
    public static final Placement PLACEMENT = Placements.rendezvous();

    private Clusters() {}

    /** Returns a cluster of nodes n1, n2 and so on, of weight 1; the zones go round. */
    public static ClusterState formed(int nodes, int partitions, int replicas, String... zones) {
        return accepted(Optional.empty(), form(nodes, partitions, replicas, zones));
    }

    public static ClusterState formed(Command.Form form) {
        return accepted(Optional.empty(), form);
    }

    public static Command.Form form(int nodes, int partitions, int replicas, String... zones) {
        List<Command.Founder> founders = new ArrayList<>();
        List<Node> topology = new ArrayList<>();
        for (int number = 1; number <= nodes; number++) {
            String zone = zones.length == 0 ? "" : zones[(number - 1) % zones.length];
            founders.add(new Command.Founder(
                    name(number), incarnation(number), attributes(number).withZone(zone)));
            topology.add(new Node(name(number), attributes(number).address(), 1));
        }
        Topology all = new Topology(1, topology);
        SlotTable slots = SlotTable.of(
                PLACEMENT.assign(all, partitions), replicas, node -> all.nodes().indexOf(node) + 1);
        return new Command.Form(CLUSTER, settings(partitions, replicas), founders, slots, List.of(1));
    }

    public static AgreedSettings settings(int partitions, int replicas) {
        return new AgreedSettings(partitions, PLACEMENT.name(), "xxh3", 0xABC, replicas, 1 << 24);
    }

    public static NodeId name(int number) {
        return new NodeId("n" + number);
    }

    public static UUID incarnation(int number) {
        return UUID.nameUUIDFromBytes(("incarnation" + number).getBytes(StandardCharsets.US_ASCII));
    }

    public static MemberAttributes attributes(int number) {
        return new MemberAttributes("host" + number + ":7000", List.of("http://host" + number + ":8080"), 1, "");
    }

    /** Admits and joins a node, whose name has the next number. */
    public static ClusterState joined(ClusterState state, String zone, int weight) {
        int number = state.members().size() + 1;
        ClusterState admitted = accepted(state, new Command.Admit(state.epoch(), name(number)));
        MemberAttributes attributes = attributes(number).withZone(zone).withWeight(weight);
        return accepted(
                admitted, new Command.Join(admitted.epoch(), name(number), incarnation(number), attributes, Map.of()));
    }

    public static ClusterState joined(ClusterState state) {
        return joined(state, "", 1);
    }

    public static ClusterState left(ClusterState state, int member) {
        return accepted(state, new Command.Leave(state.epoch(), member));
    }

    public static ClusterState started(ClusterState state, int from, int to, PartitionSet partitions) {
        return accepted(state, new Command.StartBatch(state.epoch(), from, to, partitions));
    }

    /** Takes the newest batch to its next phase. */
    public static ClusterState advanced(ClusterState state, Phase next) {
        return accepted(
                state, new Command.AdvanceBatch(state.epoch(), newest(state).id(), next));
    }

    public static Batch newest(ClusterState state) {
        return state.batches().get(state.batches().size() - 1);
    }

    /** Moves slots through all phases. */
    public static ClusterState moved(ClusterState state, int from, int to, PartitionSet partitions) {
        ClusterState begun = started(state, from, to, partitions);
        if (newest(begun).phase() == Phase.FILL) {
            return accepted(
                    begun, new Command.CompleteFill(begun.epoch(), newest(begun).id(), partitions));
        }
        return advanced(advanced(begun, Phase.BOTH), Phase.STABLE);
    }

    public static ClusterState raised(ClusterState state, int replicas) {
        return accepted(state, new Command.SetReplicationFactor(state.epoch(), replicas));
    }

    public static ClusterState growing(ClusterState state, int from, int to, PartitionSet partitions) {
        return accepted(state, new Command.StartGrow(state.epoch(), from, to, partitions));
    }

    /** Adds a slot to partitions, through all phases. */
    public static ClusterState grown(ClusterState state, int from, int to, PartitionSet partitions) {
        ClusterState begun = growing(state, from, to, partitions);
        return accepted(
                begun, new Command.CompleteGrow(begun.epoch(), newest(begun).id(), partitions));
    }

    /** Returns the partitions of which one member owns a slot and another has none. */
    public static PartitionSet movable(ClusterState state, int from, int to) {
        return PartitionSet.matching(
                state.partitions(), p -> state.slots().slotOf(p, from) >= 0 && !state.involves(p, to));
    }

    public static ClusterState accepted(ClusterState state, Command command) {
        return accepted(Optional.of(state), command);
    }

    private static ClusterState accepted(Optional<ClusterState> state, Command command) {
        CommandResult result = StateMachine.apply(state, command);
        if (result instanceof CommandResult.Accepted accepted) {
            accepted.state().check();
            return accepted.state();
        }
        throw new AssertionError(command + " gave " + result);
    }

    /** Returns the next state, or the same one if the command is refused. */
    public static ClusterState orSame(ClusterState state, Command command) {
        return StateMachine.apply(Optional.of(state), command) instanceof CommandResult.Accepted accepted
                ? accepted.state()
                : state;
    }

    /** Returns the reason why a command is refused. */
    public static String refused(ClusterState state, Command command) {
        CommandResult result = StateMachine.apply(Optional.of(state), command);
        if (result instanceof CommandResult.Refused refused && !refused.stale()) {
            return refused.reason();
        }
        throw new AssertionError(command + " gave " + result);
    }
}
