package io.dht4j.simulator;

import io.dht4j.Cluster;
import io.dht4j.ClusterMembership;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Changes the membership of a simulated cluster through any of its nodes, and repeats a change until its outcome is
 * known. Confined to the simulation's thread.
 */
final class Operator {

    private static final String RECOVERY = "recover without ";
    private static final Duration RETRY = Duration.ofSeconds(3);
    /** Longer than any call of an operator. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final List<SimulatedNode> nodes;
    private final List<String> open = new ArrayList<>();

    Operator(SplittableRandom random, VirtualEnvironment world, List<SimulatedNode> nodes) {
        this.random = random;
        this.world = world;
        this.nodes = nodes;
    }

    /** Returns the changes whose outcome is not known yet. */
    List<String> open() {
        return open;
    }

    /**
     * Makes a change. A refusal ends it, unless the change is repeated until it is done.
     *
     * @param name names the change
     * @param how makes it
     * @param until whether a refused change is done; it is repeated if not
     * @param done runs when the change is done
     */
    void change(
            String name, Function<ClusterMembership, CompletionStage<Long>> how, BooleanSupplier until, Runnable done) {
        open.add(name);
        new Change(name, cluster -> how.apply(cluster.membership()), until, done).attempt();
    }

    /**
     * Begins the next generation, as soon as all nodes that are not lost answer. A refusal ends it, unless it is
     * repeated.
     *
     * @param until whether a refused recovery is no longer needed
     * @param done runs when the recovery is done or not needed
     */
    void recover(Set<NodeId> lost, BooleanSupplier until, Runnable done) {
        String name = RECOVERY + lost;
        open.add(name);
        new Change(
                        name,
                        cluster ->
                                ((NodeCluster) cluster).agreed().orElseThrow().recover(lost, false),
                        until,
                        done)
                .attempt();
    }

    /** Returns whether a recovery is running. */
    boolean isRecovering() {
        return open.stream().anyMatch(name -> name.startsWith(RECOVERY));
    }

    /** Makes a change that is over when it is refused. */
    void change(String name, Function<ClusterMembership, CompletionStage<Long>> how, Runnable done) {
        change(name, how, () -> true, done);
    }

    private final class Change {

        private final String name;
        private final Function<Cluster, CompletionStage<Long>> how;
        private final BooleanSupplier until;
        private final Runnable done;
        private int attempts;

        Change(String name, Function<Cluster, CompletionStage<Long>> how, BooleanSupplier until, Runnable done) {
            this.name = name;
            this.how = how;
            this.until = until;
            this.done = done;
        }

        void attempt() {
            int number = ++attempts;
            // A node that has crashed never answers.
            world.schedule(() -> again(number), PATIENCE.toNanos());
            List<SimulatedNode.Running> serving =
                    nodes.stream().flatMap(node -> node.running().stream()).toList();
            if (serving.isEmpty()) {
                later(number);
                return;
            }
            SimulatedNode.Running process = serving.get(random.nextInt(serving.size()));
            process.environment()
                    .executor()
                    .execute(() -> how.apply(process.cluster()).whenComplete((epoch, error) -> ended(number, error)));
        }

        private void ended(int number, @Nullable Throwable error) {
            if (number != attempts) {
                return;
            }
            boolean refused = error != null
                    && DhtException.unwrap(error) instanceof DhtException known
                    && known.code() == ErrorCode.BAD_REQUEST;
            if (error == null || (refused && until.getAsBoolean())) {
                attempts++;
                open.remove(name);
                done.run();
            } else {
                later(number);
            }
        }

        private void later(int number) {
            world.schedule(() -> again(number), RETRY.toNanos());
        }

        private void again(int number) {
            if (number == attempts) {
                attempt();
            }
        }
    }
}
