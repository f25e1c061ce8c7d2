package io.dht4j.core.internal.membership.command;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.membership.state.VoterGroup;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Forms clusters. */
final class Formation {

    private Formation() {}

    static CommandResult form(Command.Form form) {
        String problem = problemOf(form);
        if (!problem.isEmpty()) {
            return Results.refused(problem);
        }
        List<Member> members = new ArrayList<>();
        for (Command.Founder founder : form.founders()) {
            members.add(new Member(
                    members.size() + 1,
                    founder.name(),
                    Lifecycle.SERVING,
                    Optional.of(founder.incarnation()),
                    Optional.of(founder.attributes()),
                    members.size() % Member.VERSION_SLOTS));
        }
        long[] versions = new long[form.settings().partitions()];
        Arrays.fill(versions, Epoch.FIRST);
        ClusterState state = new ClusterState(
                form.cluster(),
                Epoch.FIRST,
                form.settings(),
                new MemberList(members, VoterGroup.beginning(Epoch.FIRST, form.voters(), VoterGroup.USUAL_VOTERS)),
                form.slots(),
                versions,
                List.of(),
                RebalanceSettings.DEFAULT,
                List.of());
        return new CommandResult.Accepted(state);
    }

    private static String problemOf(Command.Form form) {
        int nodes = form.founders().size();
        int replicas = form.settings().replicationFactor();
        if (nodes < replicas || nodes > Command.Form.MAX_FOUNDERS) {
            return "a cluster of replication factor " + replicas + " is formed by " + replicas + " to "
                    + Command.Form.MAX_FOUNDERS + " nodes, not " + nodes
                    + ": list more or fewer in Membership.bootstrap";
        }
        Set<NodeId> names = new HashSet<>();
        Set<UUID> incarnations = new HashSet<>();
        Set<String> addresses = new HashSet<>();
        for (Command.Founder founder : form.founders()) {
            if (!names.add(founder.name())) {
                return "Membership.bootstrap lists " + founder.name() + " twice: list each node once";
            }
            if (!addresses.add(founder.attributes().address())) {
                return "Membership.bootstrap lists the address "
                        + founder.attributes().address() + " twice: give each node its own";
            }
            if (!incarnations.add(founder.incarnation())) {
                return founder.name() + " has a copy of another node's data directory: give each node its own";
            }
        }
        if (!Voters.areOrdered(form.voters(), nodes)) {
            return "the voters " + form.voters() + " are no list of founders: name 1 to " + MemberList.MAX_VOTERS
                    + " numbers, ascending and without repetition";
        }
        return problemOf(form.slots(), form.settings(), nodes);
    }

    private static String problemOf(SlotTable slots, AgreedSettings settings, int nodes) {
        if (slots.partitions() != settings.partitions() || slots.width() != settings.replicationFactor()) {
            return "the placement's table has " + slots.partitions() + " partitions of " + slots.width()
                    + " replicas instead of " + settings.partitions() + " of " + settings.replicationFactor()
                    + ": use a placement that assigns all of them";
        }
        int[] seen = new int[nodes + 1];
        for (int partition = 0; partition < slots.partitions(); partition++) {
            for (int slot = 0; slot < slots.width(); slot++) {
                int owner = slots.owner(partition, slot);
                if (owner < 1 || owner > nodes || seen[owner] == partition + 1) {
                    return "the placement's table gives partition " + partition + " to node " + owner
                            + ", which does not exist or stands twice: use a placement that assigns distinct nodes";
                }
                seen[owner] = partition + 1;
            }
        }
        return "";
    }
}
