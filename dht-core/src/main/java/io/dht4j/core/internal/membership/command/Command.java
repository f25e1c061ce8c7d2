package io.dht4j.core.internal.membership.command;

import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.Topology;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A change of the agreed state. Immutable. A command expects the epoch at which it was planned, and is refused at any
 * other: so of two drivers that plan on the same state, only the first one takes effect.
 */
public sealed interface Command {

    /** Returns the epoch of the state that the command expects. */
    long expectedEpoch();

    /**
     * Forms the cluster, or converts a static one on its data. The founders get the numbers from 1 on, in their order,
     * and serve at once.
     *
     * @param cluster the identity of the new cluster
     * @param settings the settings that never change
     * @param founders 1 to {@value #MAX_FOUNDERS} nodes
     * @param slots the owners by their numbers, from the placement's table
     * @param voters the numbers of the first voters, ascending
     */
    record Form(UUID cluster, AgreedSettings settings, List<Founder> founders, SlotTable slots, List<Integer> voters)
            implements Command {

        /** The maximum number of founders. */
        public static final int MAX_FOUNDERS = Topology.MAX_NODES;

        /** Copies the lists. */
        public Form {
            founders = List.copyOf(founders);
            voters = List.copyOf(voters);
        }

        @Override
        public long expectedEpoch() {
            return Epoch.NONE;
        }
    }

    /**
     * A node that forms the cluster.
     *
     * @param name its name
     * @param incarnation the identity of its data directory
     * @param attributes its addresses, weight and zone
     */
    record Founder(NodeId name, UUID incarnation, MemberAttributes attributes) {}

    /**
     * Allows a name to join.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param name a name that no member has now
     */
    record Admit(long expectedEpoch, NodeId name) implements Command {}

    /**
     * Joins an admitted node.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param name an admitted name
     * @param incarnation the identity of its data directory, which no member has ever had
     * @param attributes its addresses, weight and zone
     * @param claims the settings that the node was started with, by the names of {@link AgreedSettings#values}
     */
    record Join(
            long expectedEpoch, NodeId name, UUID incarnation, MemberAttributes attributes, Map<String, String> claims)
            implements Command {

        /** The maximum number of claims. */
        public static final int MAX_CLAIMS = 16;

        /** The maximum number of characters of a claim's name or value. */
        public static final int MAX_CLAIM = 300;

        /**
         * Checks and copies the claims.
         *
         * @throws IllegalArgumentException if they are too many or too long
         */
        public Join {
            claims = copyOf(claims);
        }

        private static Map<String, String> copyOf(Map<String, String> claims) {
            if (claims.size() > MAX_CLAIMS) {
                throw new IllegalArgumentException(
                        "a node claims at most " + MAX_CLAIMS + " settings, not " + claims.size());
            }
            claims.forEach((name, value) -> {
                if (name.length() > MAX_CLAIM || value.length() > MAX_CLAIM) {
                    throw new IllegalArgumentException("a setting's name and value have at most " + MAX_CLAIM
                            + " characters, unlike \"" + PrintableText.of(name, 50) + "\"");
                }
            });
            return Collections.unmodifiableMap(new LinkedHashMap<>(claims));
        }
    }

    /**
     * Declares that a joining member serves, or that a leaving one stays.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param member a member that is joining or leaving
     */
    record Serve(long expectedEpoch, int member) implements Command {}

    /**
     * Changes addresses, weight or zone of a present member.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param member its number
     * @param attributes all its attributes from now on
     */
    record ChangeAttributes(long expectedEpoch, int member, MemberAttributes attributes) implements Command {}

    /**
     * Begins to empty a member. Refused if the other members could not hold its slots.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param member a joining or serving member
     */
    record Leave(long expectedEpoch, int member) implements Command {}

    /**
     * Removes a member that owns no slots, and refuses its incarnation permanently.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param member an admitted, leaving or dead member that is no voter
     */
    record Remove(long expectedEpoch, int member) implements Command {}

    /**
     * Releases the version slot of a removed member, long enough after its removal that none of its versions can still
     * be ahead of any clock.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param member a removed member
     */
    record ReleaseVersionSlot(long expectedEpoch, int member) implements Command {}

    /**
     * Declares on an operator's word that an incarnation never returns. Batches that it takes part in end: slots that
     * it gives in {@link Phase#COPY} or shares in {@link Phase#GROW} are filled on the heir, and in {@link Phase#BOTH}
     * and {@link Phase#UNDO} belong to the heir; slots that it takes return to their owner.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param member a present member
     * @param acceptDataLoss whether to accept that acknowledged writes may be lost, because too few complete replicas
     *     remain of some partition
     */
    record MarkDead(long expectedEpoch, int member, boolean acceptDataLoss) implements Command {}

    /**
     * Replaces a dead member by a new incarnation of the same name. The slots of the dead member are filled on the new
     * one, except those in rows with another moving slot; a later {@link StartBatch} fills these.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param member the dead member
     * @param incarnation the identity of the new data directory, which no member has ever had
     * @param attributes the addresses, weight and zone of the new incarnation
     */
    record Replace(long expectedEpoch, int member, UUID incarnation, MemberAttributes attributes) implements Command {}

    /**
     * Begins to move slots: in {@link Phase#COPY}, or in {@link Phase#FILL} if their owner is dead.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param from the member that owns a slot of each partition
     * @param to the member that takes them over, and has no slot of any of the partitions
     * @param partitions at least one
     */
    record StartBatch(long expectedEpoch, int from, int to, PartitionSet partitions) implements Command {}

    /**
     * Moves a batch to its next phase: from {@link Phase#COPY} to {@link Phase#BOTH} when the heir has reported
     * completion, or from there to {@link Phase#STABLE} when the old owner has durably installed {@link Phase#BOTH}.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param batch the batch
     * @param next {@link Phase#BOTH} or {@link Phase#STABLE}
     */
    record AdvanceBatch(long expectedEpoch, long batch, Phase next) implements Command {}

    /**
     * Declares that the heir of a dead member has some partitions in full. The rest of the batch continues.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param batch a batch in {@link Phase#FILL}
     * @param partitions some or all of its partitions
     */
    record CompleteFill(long expectedEpoch, long batch, PartitionSet partitions) implements Command {}

    /**
     * Sets how many replicas each partition is to have. Rows get vacant slots, which later batches assign to members
     * one after the other. The number can be lowered again only as far as slots are vacant.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param replicas the number, at most the number of members that can own slots
     */
    record SetReplicationFactor(long expectedEpoch, int replicas) implements Command {}

    /**
     * Begins to give partitions one more slot each, in {@link Phase#GROW}.
     *
     * <p>Each majority of {@code n + 1} slots includes a slot of each majority of {@code n}; with {@code n + 2} slots
     * this does not always hold. So the node that appends this command makes sure that every present member of the rows
     * has installed the present rows.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param from the present member that owns the last slot of each partition
     * @param to the member that gets the next slot, and has no slot of any of the partitions
     * @param partitions at least one, each with a vacant slot
     */
    record StartGrow(long expectedEpoch, int from, int to, PartitionSet partitions) implements Command {}

    /**
     * Declares that the heir of a batch that grows has some partitions in full: it owns the next slot of each from then
     * on. The rest of the batch continues.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param batch a batch in {@link Phase#GROW}
     * @param partitions some or all of its partitions
     */
    record CompleteGrow(long expectedEpoch, long batch, PartitionSet partitions) implements Command {}

    /**
     * Cancels a batch: its slots stay with their old owner, which is complete until the batch ends. In
     * {@link Phase#COPY} and {@link Phase#GROW} the batch ends. In {@link Phase#BOTH} reads use the heir, so the batch
     * enters {@link Phase#UNDO}, and a second such command ends it when the heir has durably installed that phase.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param batch a batch that does not fill
     */
    record AbortBatch(long expectedEpoch, long batch) implements Command {}

    /**
     * Sets the voters of the metadata group.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param voters their numbers, ascending; new voters are serving members
     */
    record SetVoters(long expectedEpoch, List<Integer> voters) implements Command {

        /** Copies the list. */
        public SetVoters {
            voters = List.copyOf(voters);
        }
    }

    /**
     * Sets the target number of voters, which applies once there are as many serving members. The driver chooses them.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param voters 3, 5 or 7
     */
    record SetVoterCount(long expectedEpoch, int voters) implements Command {}

    /**
     * Sets how fast slots move.
     *
     * @param expectedEpoch see {@link Command#expectedEpoch}
     * @param settings the settings from now on
     */
    record SetRebalance(long expectedEpoch, RebalanceSettings settings) implements Command {}

    /**
     * Begins the log of a next generation, with the state of its recovery. The first command of such a log.
     *
     * @param state the state
     */
    record Continue(ClusterState state) implements Command {

        @Override
        public long expectedEpoch() {
            return Epoch.NONE;
        }
    }

    /**
     * Begins the next generation after the majority of the voters was lost. Every row gets the new epoch as its
     * version: the lost voters may have agreed on changes that are lost with them, and the new version fences every
     * node that has seen such a change.
     *
     * @param expectedEpoch the newest epoch that a reachable node knows
     * @param voters the numbers of the voters of the new generation, ascending
     */
    record Recover(long expectedEpoch, List<Integer> voters) implements Command {

        /** Copies the list. */
        public Recover {
            voters = List.copyOf(voters);
        }
    }
}
