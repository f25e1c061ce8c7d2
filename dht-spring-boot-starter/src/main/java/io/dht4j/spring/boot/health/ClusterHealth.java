package io.dht4j.spring.boot.health;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.StoreProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Judges whether a cluster serves, by the conditions of {@code GET /readyz} of the public HTTP API. Safe for use by any
 * number of threads.
 */
final class ClusterHealth {

    /** A store that has not told its size for so long stands still. */
    private static final Duration STANDSTILL = Duration.ofSeconds(10);

    private final Cluster cluster;
    private final Duration timeout;
    private final CompletableFuture<String> failure;

    /** The last call of the status, which further checks share until it ends. */
    private final AtomicReference<CompletableFuture<NodeStatus>> asked = new AtomicReference<>();

    /**
     * The health at one moment.
     *
     * @param problems what prevents reads or writes, one line each; empty if the cluster serves
     * @param details facts for people
     */
    record Report(List<String> problems, Map<String, Object> details) {}

    ClusterHealth(Cluster cluster, Duration timeout) {
        this.cluster = cluster;
        this.timeout = timeout;
        this.failure = cluster.failure().toCompletableFuture();
    }

    /** Returns the health. Blocks, at most for the timeout. */
    Report report() {
        if (failure.isDone() && !failure.isCompletedExceptionally()) {
            return down(failure.join());
        }
        try {
            return of(status().get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return down("no status within " + timeout.toMillis() + " ms");
        } catch (ExecutionException e) {
            return down(String.valueOf(DhtException.unwrap(e).getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return down("the check was interrupted");
        }
    }

    private CompletableFuture<NodeStatus> status() {
        CompletableFuture<NodeStatus> last = asked.get();
        if (last != null && !last.isDone()) {
            return last;
        }
        CompletableFuture<NodeStatus> next = cluster.status().toCompletableFuture();
        asked.set(next);
        return next;
    }

    private static Report down(String problem) {
        return new Report(List.of(problem), Map.of());
    }

    private static Report of(NodeStatus status) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("node", status.id().value());
        details.put("nodes", status.topology().size());
        if (status.entries() >= 0) {
            details.put("entries", status.entries());
        }
        details.put("suspected", status.suspected().stream().map(NodeId::value).toList());
        details.put("hintBytes", status.hintBytes());
        details.put("store", status.store());
        details.put("version", status.version());
        return new Report(problems(status), details);
    }

    private static List<String> problems(NodeStatus status) {
        List<String> problems = new ArrayList<>();
        if (status.entriesAge().compareTo(STANDSTILL) > 0) {
            problems.add("the store does not answer");
        }
        for (StoreProblem problem : status.storeProblems()) {
            if (problem.kind() == StoreProblem.Kind.WRITES_REFUSED) {
                problems.add("the store takes no writes: " + problem.message());
            }
        }
        status.clockProblem().ifPresent(clock -> problems.add("the node takes no writes, since its clock is " + clock));
        long others = status.topology().nodes().stream()
                .filter(node -> !node.id().equals(status.id()))
                .count();
        Set<NodeId> without = new HashSet<>(status.disagreeing());
        int disagreeing = without.size();
        without.addAll(status.suspected());
        int silent = without.size() - disagreeing;
        if (disagreeing > 0 && 2L * without.size() > others) {
            problems.add(disagreeing + " of " + others
                    + " other nodes have other settings or addresses than this node"
                    + (silent == 0 ? "" : ", and " + silent + " do not answer"));
        }
        if (status.refill().partitions() > 0) {
            problems.add(status.refill().partitions() + " partitions are refilled before they are read");
        }
        return problems;
    }
}
