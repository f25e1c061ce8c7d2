package io.dht4j.core.internal.move;

import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.copy.PageSource;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairCounters;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.session.CopyComparison;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.IncomingReplicas;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.options.Repair;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Takes over the slots that the installed view assigns to this node, and drops the entries of those that it takes away.
 * {@link IncomingReplicas} closes an incoming partition until it is complete. The driver reads the progress and
 * advances the batches.
 *
 * <p>Does not block, except {@link #prepare}; safe for use by any number of threads.
 */
public final class SlotMoves implements BatchProgress.Reporter {

    private final MoveContext context;
    private final DivergedHandover handover;

    // Guarded by this.
    private final Map<Long, BatchCopy> copies = new TreeMap<>();
    private boolean closed;

    /**
     * Creates an object without moves.
     *
     * @param environment time, timers and store threads
     * @param self this node
     * @param views the views of this node
     * @param incoming opens the partitions that this node takes over
     * @param store keeps which copies have begun
     * @param local this node's replicas
     * @param clock returns this node's hybrid clock, which is not behind any reply that it has received
     * @param peers the other replicas
     * @param pages fetches pages of them
     * @param options how long differences last before they count
     * @param promises adopts the highest promises of other replicas about registers, by partition
     */
    public SlotMoves(
            Environment environment,
            NodeId self,
            Views views,
            IncomingReplicas incoming,
            Store store,
            LocalReplica local,
            Supplier<Version> clock,
            RepairPeers peers,
            PageSource pages,
            Repair options,
            Function<Map<Integer, Version>, CompletableFuture<Void>> promises) {
        Throttle throttle = new Throttle(
                environment, () -> views.current().moves().settings().bytesPerSecond(), this::isClosed);
        CopyComparison comparison =
                new CopyComparison(environment, self, local, peers, throttle, options, new RepairCounters(self));
        this.context = new MoveContext(
                environment,
                self,
                views,
                incoming,
                local,
                clock,
                peers,
                (node, partitions, start, outcome) -> {
                    if (views.current().moves().settings().paused()) {
                        outcome.failed("moves are paused");
                    } else {
                        pages.fetch(node, partitions, start, outcome);
                    }
                },
                throttle,
                comparison,
                new Leftovers(environment, views, local, throttle),
                new CopyMarker(store, self),
                promises);
        this.handover = new DivergedHandover(context);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Reads which copies have begun. Blocks; called before this node serves requests.
     *
     * @throws IllegalStateException if the marks cannot be read
     */
    public void prepare() {
        context.marker().load();
    }

    /** Begins; called once this node serves requests. */
    public void start() {
        context.views().listen((before, now) -> follow());
        follow();
    }

    /** Begins the copies of batches that are new in the current view, and ends those of others. */
    private void follow() {
        List<BatchCopy> begun = new ArrayList<>();
        ClusterView view;
        synchronized (this) {
            if (closed) {
                return;
            }
            // The current view, not an argument: another thread may have followed a newer one.
            view = context.views().current();
            copies.values().removeIf(copy -> {
                boolean ended = copy.valid(view).isEmpty();
                if (ended) {
                    copy.close();
                }
                return ended;
            });
            batches(view).forEach((id, partitions) -> {
                if (!copies.containsKey(id)) {
                    BatchCopy copy = new BatchCopy(context, id, partitions, view, this::underWay);
                    copies.put(id, copy);
                    begun.add(copy);
                }
            });
        }
        begun.forEach(BatchCopy::start);
        context.leftovers().follow(view);
        handover.follow();
    }

    private synchronized Set<Long> underWay() {
        return Set.copyOf(copies.keySet());
    }

    /** Returns the incoming partitions of each batch. A view without batches has one for each row version. */
    private static Map<Long, PartitionSet> batches(ClusterView view) {
        Map<Long, PartitionSet.Builder> found = new TreeMap<>();
        view.incoming().forEach(partition -> {
            long id = view.moves().batchOf(partition).map(Batch::id).orElseGet(() -> view.rowVersion(partition));
            found.computeIfAbsent(id, other -> PartitionSet.builder()).add(partition);
        });
        Map<Long, PartitionSet> built = new TreeMap<>();
        found.forEach((id, builder) -> built.put(id, builder.build()));
        return built;
    }

    @Override
    public List<BatchProgress> progress() {
        ClusterView view = context.views().current();
        List<BatchCopy> now;
        synchronized (this) {
            now = List.copyOf(copies.values());
        }
        return now.stream()
                .filter(copy -> !copy.valid(view).isEmpty())
                .map(copy -> copy.progress(view))
                .toList();
    }

    /** Begins no further copy. Running ones end with their next step. */
    public synchronized void close() {
        closed = true;
        context.leftovers().close();
        handover.close();
        copies.values().forEach(BatchCopy::close);
    }
}
