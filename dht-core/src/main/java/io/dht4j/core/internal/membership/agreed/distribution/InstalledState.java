package io.dht4j.core.internal.membership.agreed.distribution;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.formation.NodeNotes;
import io.dht4j.core.internal.membership.agreed.formation.NodeNotes.Identity;
import io.dht4j.core.internal.membership.codec.StateCodec;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.StoreException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the newest agreed state that a node has installed. A state is stored before its view is installed, so a node
 * never returns to an earlier one. Installations run one after the other on store threads; of several waiting states,
 * only the newest one is kept. Does not block, except {@link #restore}; safe for use by any number of threads.
 */
public final class InstalledState {

    private static final Logger LOG = LoggerFactory.getLogger(InstalledState.class);

    private final NodeNotes notes;
    private final NodeId self;
    private final HashFunction hash;
    private final Environment environment;
    private final Runnable storing;
    private final Consumer<ClusterState> listener;

    private volatile @Nullable Installed installed;

    // Guarded by this.
    private Identity identity;
    private @Nullable Pending pending;
    private boolean running;
    private boolean closed;

    /** The last state that could not be installed, which is logged once. Used by one installation at a time. */
    private long failedEpoch;

    /**
     * Whether the store has refused the last state: logged once, not for each epoch. Used by one installation at a
     * time.
     */
    private boolean storeRefuses;

    private record Pending(ClusterState state, CompletableFuture<ClusterState> result) {}

    /**
     * The installed state with its view.
     *
     * @param state the state
     * @param encoded the encoded state, which is never changed
     * @param views the same object for every state
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Installed(ClusterState state, byte[] encoded, Views views) {}

    /**
     * Creates a node's state before the first one.
     *
     * @param notes the notes of the node
     * @param identity the identity in the notes
     * @param self the name of the node
     * @param hash maps keys to partitions
     * @param environment the store threads
     * @param storing is called before a state is stored, on a store thread; the state is not installed if it throws
     * @param listener receives each installed state, in order, on a store thread
     */
    public InstalledState(
            NodeNotes notes,
            Identity identity,
            NodeId self,
            HashFunction hash,
            Environment environment,
            Runnable storing,
            Consumer<ClusterState> listener) {
        this.notes = notes;
        this.identity = identity;
        this.self = self;
        this.hash = hash;
        this.environment = environment;
        this.storing = storing;
        this.listener = listener;
    }

    /** Returns the installed state with its view; empty before the first state. */
    public Optional<Installed> current() {
        return Optional.ofNullable(installed);
    }

    /** Returns the installed state; empty before the first one. */
    public Optional<ClusterState> state() {
        Installed now = installed;
        return now == null ? Optional.empty() : Optional.of(now.state);
    }

    /** Returns the partitions in which this node has diverged. */
    public PartitionSet diverged() {
        Installed now = installed;
        return now == null ? PartitionSet.empty() : now.views.diverged().all();
    }

    /** Returns the epoch of the installed state; 0 before the first one. */
    public long epoch() {
        Installed now = installed;
        return now == null ? 0 : now.state.epoch();
    }

    /** Returns the cluster to which the node belongs; empty until it does. */
    public synchronized Optional<UUID> cluster() {
        return identity.cluster();
    }

    /**
     * Installs the state of the node's note. Blocks.
     *
     * @param check receives the state before it is installed, and may throw
     * @throws IllegalStateException if the note is damaged
     */
    public void restore(Consumer<ClusterState> check) {
        Optional<ClusterState> noted;
        synchronized (this) {
            noted = notes.state(identity);
        }
        noted.ifPresent(state -> {
            check.accept(state);
            ClusterView view = AgreedViews.of(state, self, hash);
            installed = new Installed(state, StateCodec.encode(state), new Views(view, notes.diverged()));
            listener.accept(state);
        });
    }

    /**
     * Stores and installs a state, unless a newer one is installed.
     *
     * @param state a state of the node's cluster
     * @return completes with the installed state, which may be newer; fails if it cannot be installed
     */
    public CompletableFuture<ClusterState> offer(ClusterState state) {
        CompletableFuture<ClusterState> result;
        boolean start;
        synchronized (this) {
            Installed now = installed;
            if (now != null && now.state.epoch() >= state.epoch()) {
                return CompletableFuture.completedFuture(now.state);
            }
            Pending waiting = pending;
            if (waiting == null) {
                waiting = new Pending(state, new CompletableFuture<>());
            } else if (waiting.state.epoch() < state.epoch()) {
                waiting = new Pending(state, waiting.result);
            }
            pending = waiting;
            result = waiting.result;
            start = !running;
            running = true;
        }
        if (start) {
            run();
        }
        return result;
    }

    private void run() {
        try {
            environment.storeExecutor().execute(this::installPending);
        } catch (RejectedExecutionException e) {
            Pending dropped;
            synchronized (this) {
                dropped = pending;
                pending = null;
                running = false;
            }
            if (dropped != null) {
                dropped.result.completeExceptionally(closing());
            }
        }
    }

    private static DhtException closing() {
        return DhtException.of(ErrorCode.NOT_SERVING, "this node is closed");
    }

    /** Refuses further installations. A running one may fail, since the store is closed next. */
    public synchronized void close() {
        closed = true;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void installPending() {
        Pending next;
        synchronized (this) {
            next = pending;
            pending = null;
            if (next == null) {
                running = false;
                return;
            }
        }
        try {
            if (isClosed()) {
                throw closing();
            }
            next.result.complete(install(next.state));
        } catch (RuntimeException | Error e) {
            failed(next.state.epoch(), e);
            next.result.completeExceptionally(e);
        } finally {
            run();
        }
    }

    private void failed(long epoch, Throwable error) {
        boolean isKnown = isClosed() || failedEpoch == epoch;
        if (error instanceof StoreException) {
            isKnown |= storeRefuses;
            storeRefuses = true;
            Installed before = installed;
            if (before != null) {
                before.views.cannotFollow(String.valueOf(error.getMessage()));
            }
        }
        failedEpoch = epoch;
        if (isKnown) {
            LOG.debug("the agreed state of epoch {} cannot be installed", Epoch.text(epoch), error);
        } else if (error instanceof StoreException) {
            LOG.warn(
                    "node {} stays at an earlier state than the agreed one of epoch {}, until its store takes it: {}",
                    self,
                    Epoch.text(epoch),
                    error.getMessage());
        } else {
            LOG.error("the agreed state of epoch {} cannot be installed", Epoch.text(epoch), error);
        }
    }

    /** Returns why newer states cannot be installed, for people; empty if they can. */
    public Optional<String> trouble() {
        Installed now = installed;
        return now == null || now.views.obstacle().isEmpty()
                ? Optional.empty()
                : Optional.of(self + " to install a newer state than that of epoch " + Epoch.text(now.state.epoch())
                        + ", which fails: " + now.views.obstacle());
    }

    private ClusterState install(ClusterState state) {
        Installed before = installed;
        if (before != null && before.state.epoch() >= state.epoch()) {
            // It was offered while the newer one was being stored.
            return before.state;
        }
        ClusterView view = AgreedViews.of(state, self, hash);
        byte[] encoded = StateCodec.encode(state);
        join(state);
        if (before != null) {
            // First: a node with the state but without the marks would count as a replica of entries that it lacks.
            before.views.diverged().add(state.epoch(), diverged(before, state));
        }
        storing.run();
        notes.keepState(encoded);
        storeRefuses = false;
        if (before == null) {
            installed = new Installed(state, encoded, new Views(view, notes.diverged()));
        } else {
            before.views.install(view);
            installed = new Installed(state, encoded, before.views);
        }
        listener.accept(state);
        return state;
    }

    /**
     * Returns the partitions in which this node has diverged from a state of a later generation: the rows that have
     * changed here since that state branched off, and those whose copy this node was still receiving.
     */
    private static PartitionSet diverged(Installed own, ClusterState next) {
        return next.partedFrom(own.state)
                .map(parted -> PartitionSet.matching(
                                own.state.partitions(), partition -> own.state.rowVersion(partition) > parted)
                        .union(own.views.current().incoming()))
                .orElse(PartitionSet.empty());
    }

    /** Records the cluster of the first state, before the state itself. */
    private synchronized void join(ClusterState state) {
        Optional<UUID> cluster = identity.cluster();
        if (cluster.isEmpty()) {
            Identity joined = new Identity(identity.incarnation(), Optional.of(state.cluster()), identity.binding());
            notes.keep(joined);
            identity = joined;
        } else if (!cluster.get().equals(state.cluster())) {
            throw new IllegalStateException("node " + self + " belongs to the cluster " + cluster.get()
                    + " and refuses the state of the cluster " + state.cluster());
        }
    }
}
