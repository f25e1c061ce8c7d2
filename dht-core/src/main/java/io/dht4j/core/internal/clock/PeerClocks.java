package io.dht4j.core.internal.clock;

import io.dht4j.ClockProblem;
import io.dht4j.NodeId;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the wall clocks of the other nodes, as reported by their replies and extrapolated by this node's monotonic
 * clock, and judges this node's clock by them. This node's clock is wrong if more than half of the nodes contradict it
 * by more than the allowed skew. It also counts as wrong if too few nodes have been heard to decide, and it is ahead of
 * one of them.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class PeerClocks {

    private static final Logger LOG = LoggerFactory.getLogger(PeerClocks.class);

    /** How long a judgement is valid while this node's clock is not set. */
    private static final long JUDGED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The silence after which a node is asked. */
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The shortest time between requests while this node's clock is contradicted. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Environment environment;
    private volatile Nodes known;
    private final long maxSkewMillis;
    private final Consumer<NodeId> ask;
    private final Map<NodeId, Sample> samples = new ConcurrentHashMap<>();
    /** The calls that wait for the confirmation of a contradiction; bounded by the calls in flight. */
    private final Map<Long, CompletableFuture<Void>> waiting = new ConcurrentHashMap<>();

    private final AtomicLong numbers = new AtomicLong();

    private volatile Judgement last;

    /** All nodes but this one, and the number of nodes, including this one if it is a node. */
    private record Nodes(List<NodeId> others, int count) {}

    /** The clock in a reply: the node's clock showed this at some moment between the request and the reply. */
    private record Sample(long wallMillis, long sentNanos, long heardNanos) {}

    /**
     * A judgement: its time, the offset of the wall clock to the monotonic clock, the problem, and since when there has
     * been one.
     */
    private record Judgement(long nanos, long offsetMillis, Optional<ClockProblem> problem, long since) {}

    /**
     * Creates a tracker that knows no clock yet.
     *
     * @param environment this node's clocks
     * @param others all nodes but this one
     * @param nodes the number of nodes, including this one if it is a node
     * @param maxSkewMillis the allowed skew between clocks
     * @param ask sends a request to a node
     */
    public PeerClocks(
            Environment environment, List<NodeId> others, int nodes, long maxSkewMillis, Consumer<NodeId> ask) {
        this.environment = environment;
        this.known = new Nodes(List.copyOf(others), nodes);
        this.maxSkewMillis = maxSkewMillis;
        this.ask = ask;
        this.last = new Judgement(environment.nanoTime(), offset(environment.nanoTime()), Optional.empty(), 0);
    }

    /**
     * Follows a change of the nodes: clocks of others are forgotten.
     *
     * @param others all nodes but this one
     * @param nodes the number of nodes, including this one if it is a node
     */
    public void follow(List<NodeId> others, int nodes) {
        known = new Nodes(List.copyOf(others), nodes);
        samples.keySet().retainAll(others);
    }

    private long offset(long nanos) {
        return environment.currentTimeMillis() - nanos / 1_000_000;
    }

    /**
     * Records the clock in a node's reply.
     *
     * @param node the node
     * @param wallMillis its wall clock
     * @param sentNanos when the request was sent, by this node's monotonic clock
     * @param heardNanos when the reply arrived, by the same clock
     */
    public void observe(NodeId node, long wallMillis, long sentNanos, long heardNanos) {
        Sample heard = new Sample(wallMillis, sentNanos, heardNanos);
        Sample before = samples.put(node, heard);
        boolean isNews = contradicts(heard) && (before == null || !contradicts(before));
        if (isNews || last.problem().isPresent()) {
            judge(heardNanos);
            if (isConfirmed(last)) {
                completeWaiting();
            }
        }
    }

    /** Returns whether a clock seems to contradict this node's, assuming no setting of it since the last judgement. */
    private boolean contradicts(Sample sample) {
        long wall = sample.heardNanos() / 1_000_000 + last.offsetMillis();
        long longestOnTheWay = (sample.heardNanos() - sample.sentNanos()) / 1_000_000 + 1;
        return sample.wallMillis() - wall > maxSkewMillis
                || wall - sample.wallMillis() > maxSkewMillis + longestOnTheWay;
    }

    /**
     * Returns whether all contradicting nodes have been asked since the problem was found; true also without a problem.
     */
    private boolean isConfirmed(Judgement found) {
        return found.problem()
                .map(problem -> problem.of().stream().allMatch(node -> {
                    Sample sample = samples.get(node);
                    return sample != null && sample.sentNanos() - found.since() >= 0;
                }))
                .orElse(true);
    }

    private void completeWaiting() {
        waiting.values().forEach(one -> one.complete(null));
    }

    /**
     * Works as {@link #problem}, but first asks contradicting nodes again, unless they have been asked since the
     * contradiction was found: their clocks may have been set too.
     *
     * @return completes soon, mostly at once
     */
    public CompletableFuture<Optional<ClockProblem>> confirmedProblem() {
        Optional<ClockProblem> found = problem();
        if (isConfirmed(last)) {
            return CompletableFuture.completedFuture(found);
        }
        CompletableFuture<Void> asked = new CompletableFuture<>();
        long number = numbers.incrementAndGet();
        waiting.put(number, asked);
        Environment.Timer deadline = environment.schedule(() -> asked.complete(null), AGAIN_NANOS);
        // The last answer may have arrived just now.
        if (isConfirmed(last)) {
            asked.complete(null);
        }
        return asked.thenApply(done -> {
            deadline.cancel();
            waiting.remove(number);
            return last.problem();
        });
    }

    /**
     * Judges this node's clock. Quick: examines the other clocks again only after a second, or when the clock was set.
     *
     * @return its problem; empty if none is known
     */
    public Optional<ClockProblem> problem() {
        long now = environment.nanoTime();
        Judgement known = last;
        long moved = Math.abs(offset(now) - known.offsetMillis());
        long validNanos = known.problem().isPresent() ? AGAIN_NANOS : JUDGED_NANOS;
        if (now - known.nanos() < validNanos && moved <= maxSkewMillis / 10) {
            return known.problem();
        }
        Optional<ClockProblem> problem = judge(now);
        askSilent(now, problem.isPresent() ? AGAIN_NANOS : SILENT_NANOS);
        return problem;
    }

    /**
     * Estimates how far the clocks of the others are ahead of this node's: each is taken to have been read in the
     * middle between request and reply.
     *
     * @return the offsets of the nodes that have replied, negative for clocks that are behind
     */
    public Map<NodeId, Duration> offsets() {
        long now = environment.nanoTime();
        long wall = environment.currentTimeMillis();
        Map<NodeId, Duration> offsets = new HashMap<>();
        samples.forEach((node, sample) -> {
            long sinceRead = now - sample.heardNanos() + (sample.heardNanos() - sample.sentNanos()) / 2;
            offsets.put(node, Duration.ofMillis(sample.wallMillis() + sinceRead / 1_000_000 - wall));
        });
        return offsets;
    }

    private void askSilent(long now, long silentNanos) {
        for (NodeId node : known.others()) {
            Sample sample = samples.get(node);
            if (sample == null || now - sample.heardNanos() >= silentNanos) {
                ask.accept(node);
            }
        }
    }

    private Optional<ClockProblem> judge(long now) {
        Judgement before;
        Judgement found;
        synchronized (this) {
            before = last;
            found = judgement(now, before);
            last = found;
        }
        announce(before, found);
        return found.problem();
    }

    private Judgement judgement(long now, Judgement before) {
        long wall = environment.currentTimeMillis();
        List<NodeId> behindMe = new ArrayList<>();
        List<NodeId> aheadOfMe = new ArrayList<>();
        Nodes all = known;
        int nodes = all.count();
        int agreeing = nodes > all.others().size() ? 1 : 0;
        long difference = 0;
        for (NodeId node : all.others()) {
            Sample sample = samples.get(node);
            if (sample == null) {
                continue;
            }
            long least = sample.wallMillis() + (now - sample.heardNanos()) / 1_000_000;
            long most = sample.wallMillis() + (now - sample.sentNanos()) / 1_000_000 + 1;
            if (wall - most > maxSkewMillis) {
                behindMe.add(node);
                difference = larger(difference, wall - most);
            } else if (least - wall > maxSkewMillis) {
                aheadOfMe.add(node);
                difference = larger(difference, wall - least);
            } else {
                agreeing++;
            }
        }
        int against = behindMe.size() + aheadOfMe.size();
        boolean isUndecided = 2 * against <= nodes && 2 * agreeing <= nodes;
        Optional<ClockProblem> problem = Optional.empty();
        if (2 * against > nodes || (isUndecided && !behindMe.isEmpty())) {
            List<NodeId> contradicting = new ArrayList<>(behindMe);
            contradicting.addAll(aheadOfMe);
            problem = Optional.of(new ClockProblem(Duration.ofMillis(difference), contradicting));
        }
        long since = before.problem().isPresent() ? before.since() : now;
        return new Judgement(now, offset(now), problem, since);
    }

    private static long larger(long one, long other) {
        return Math.abs(other) > Math.abs(one) ? other : one;
    }

    private void announce(Judgement before, Judgement found) {
        if (found.problem().isPresent() && before.problem().isEmpty()) {
            found.problem().get().of().forEach(ask);
            LOG.error(
                    "this node takes no writes, since its clock is wrong: it is {}. Set the clock; writes are "
                            + "taken again"
                            + " when the clocks agree",
                    found.problem().get());
        } else if (found.problem().isEmpty() && before.problem().isPresent()) {
            LOG.info("this node takes writes again: its clock agrees with those of the others");
        }
    }
}
