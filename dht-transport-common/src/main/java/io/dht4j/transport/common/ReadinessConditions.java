package io.dht4j.transport.common;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.NodeGauges;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.RefillStatus;
import io.dht4j.StoreProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The conditions on which a cluster serves reads and writes. The probes of the HTTP API and health indicators share
 * them. Immutable.
 */
public final class ReadinessConditions {

    /** A store that has not reported its size for this time is considered stalled. */
    public static final Duration OUTDATED = Duration.ofSeconds(10);

    /** How long a node is not ready because the others cannot be read. Later it may be of use without them. */
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);

    private ReadinessConditions() {}

    /**
     * A condition that is not met.
     *
     * @param text the condition, for any caller
     * @param detail further information, for operators only: it may name files and nodes; may be empty
     */
    public record Unmet(String text, String detail) {

        /** Reports that too few nodes answer for reads, while the node {@linkplain Start starts}. */
        public static final Unmet TOO_FEW_NODES = new Unmet("too few nodes can be read yet", "");

        /**
         * Returns the text with the detail.
         *
         * @return one line if the detail is one
         */
        public String detailed() {
            return detail.isEmpty() ? text : text + ": " + detail;
        }
    }

    /**
     * The start of a node, until the cluster can be read. Safe for use by any number of threads.
     *
     * @param at the time of the first check, of {@link System#nanoTime}
     * @param end completes when the cluster is ready, or closed; never fails
     */
    public record Start(long at, CompletableFuture<Boolean> end) {

        /**
         * Begins with the first check.
         *
         * @param cluster the cluster that starts
         * @return the start
         */
        public static Start of(Cluster cluster) {
            return new Start(
                    System.nanoTime(),
                    cluster.ready().handle((ready, error) -> error == null).toCompletableFuture());
        }

        /**
         * Returns whether the start is still running.
         *
         * @return true until it ends, 30 seconds at most
         */
        public boolean isGoingOn() {
            return !end.isDone() && System.nanoTime() - at < START_NANOS;
        }
    }

    /**
     * Refuses a cluster that an API could not serve.
     *
     * @param cluster the cluster
     * @throws IllegalStateException if it is closed or can no longer serve; the message says so
     */
    public static void requireOpen(Cluster cluster) {
        CompletableFuture<Void> ready = cluster.ready().toCompletableFuture();
        if (ready.isCompletedExceptionally()) {
            Throwable why = ready.<Throwable>handle((done, error) -> DhtException.unwrap(error))
                    .join();
            throw new IllegalStateException("the API cannot serve the cluster: " + why.getMessage());
        }
    }

    /**
     * Returns the conditions that a node does not meet.
     *
     * @param status the status of the node
     * @return empty if it serves
     */
    public static List<Unmet> unmet(NodeStatus status) {
        List<Unmet> unmet = new ArrayList<>();
        if (status.entriesAge().compareTo(OUTDATED) > 0) {
            unmet.add(new Unmet("the store does not answer", ""));
        }
        List<String> refusals = status.storeProblems().stream()
                .filter(problem -> problem.kind() == StoreProblem.Kind.WRITES_REFUSED)
                .map(StoreProblem::message)
                .toList();
        if (!refusals.isEmpty()) {
            unmet.add(new Unmet("the store takes no writes", String.join("; ", refusals)));
        }
        status.clockProblem()
                .ifPresent(clock -> unmet.add(new Unmet(
                        "the clock contradicts those of other nodes, so that no writes are taken", "it is " + clock)));
        long others = status.topology().nodes().stream()
                .filter(node -> !node.id().equals(status.id()))
                .count();
        // With those that do not answer: this node takes no writes while too few are known to have its settings.
        Set<NodeId> without = new HashSet<>(status.disagreeing());
        int disagreeing = without.size();
        without.addAll(status.suspected());
        int silent = without.size() - disagreeing;
        if (disagreeing > 0 && 2L * without.size() > others) {
            String text = disagreeing + " of " + others
                    + " other nodes have other settings or addresses than this node has for them"
                    + (silent == 0 ? "" : ", and " + silent + " do not answer");
            unmet.add(new Unmet(text, ""));
        }
        RefillStatus refill = status.refill();
        if (refill.partitions() > 0) {
            unmet.add(new Unmet(
                    refill.partitions() + " partitions are repaired from other replicas before they are read",
                    refill.waitsFor().isEmpty() ? "" : "waits for " + refill.waitsFor()));
        }
        return unmet;
    }

    /**
     * Returns the condition that a node reaches a quorum of each partition, if it is not met. It is separate from the
     * {@linkplain #unmet others}: a node without a quorum still serves reads of one replica. Most often all nodes lose
     * a quorum at once, and a supervisor would remove the last ones.
     *
     * @param status the status of the node
     * @param gauges the gauges of the node; empty if unknown, which counts as met
     * @return empty if it is met
     */
    public static Optional<Unmet> withoutQuorum(NodeStatus status, Optional<NodeGauges> gauges) {
        int lost = gauges.map(NodeGauges::partitionsWithoutQuorum).orElse(0);
        if (lost == 0) {
            return Optional.empty();
        }
        List<String> why = new ArrayList<>();
        if (!status.suspected().isEmpty()) {
            why.add("no answer from " + status.suspected());
        }
        if (!status.disagreeing().isEmpty()) {
            why.add("no agreement with " + status.disagreeing());
        }
        return Optional.of(
                new Unmet(lost + " of " + status.partitions() + " partitions have no quorum", String.join(", ", why)));
    }
}
