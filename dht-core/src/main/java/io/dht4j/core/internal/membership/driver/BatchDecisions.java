package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decides when the running batches enter their next phases. */
final class BatchDecisions {

    /** How long a step that changes the readable node of a slot waits for snapshots, which it ends. */
    static final Duration SNAPSHOT_PATIENCE = Duration.ofMinutes(10);

    /** After this silence of an heir its slots return to their owner: a slot in COPY counts only with both nodes. */
    static final Duration HEIR_PATIENCE = Duration.ofMinutes(10);

    /** Filled or added slots are completed in parts, so that they count early, but not one by one. */
    private static final int LEAST_PARTS = 4;

    private final Observation seen;
    private final List<Wait> waits;

    BatchDecisions(Observation seen, List<Wait> waits) {
        this.seen = seen;
        this.waits = waits;
    }

    /** Returns the next command of the first batch that is ready. */
    Optional<Command> next() {
        for (Batch batch : seen.state().batches()) {
            Optional<Command> command = next(batch);
            if (command.isPresent()) {
                return command;
            }
        }
        return Optional.empty();
    }

    /** Checks all batches, to collect what they wait for. */
    void lookAtAll() {
        seen.state().batches().forEach(this::next);
    }

    private Optional<Command> next(Batch batch) {
        return switch (batch.phase()) {
            case COPY -> copy(batch);
            case BOTH -> installed(batch, batch.from(), advance(batch, Phase.STABLE));
            case UNDO -> installed(batch, batch.to(), abort(batch));
            case FILL -> fill(batch);
            case GROW -> grow(batch);
            case STABLE -> throw new IllegalArgumentException(batch + " does not move");
        };
    }

    /** Returns whether a batch of two should end, since its heir no longer takes slots. */
    private boolean isHopeless(Batch batch) {
        return seen.member(batch.to()).lifecycle() == Lifecycle.LEAVING
                || (!seen.answers(batch.to()) && seen.silence(batch.to()).compareTo(HEIR_PATIENCE) >= 0);
    }

    private Optional<Command> copy(Batch batch) {
        if (isHopeless(batch)) {
            return Optional.of(abort(batch));
        }
        Optional<BatchProgress> progress = progress(batch);
        if (progress.isEmpty()) {
            return Optional.empty();
        }
        PartitionSet missing = batch.partitions().minus(progress.get().complete());
        if (!missing.isEmpty()) {
            copying(batch, progress.get(), missing);
            return Optional.empty();
        }
        if (seen.state().rebalance().paused()) {
            return wait(batch, Waits.PAUSED);
        }
        return waitsForSnapshots(batch) ? Optional.empty() : Optional.of(advance(batch, Phase.BOTH));
    }

    private boolean waitsForSnapshots(Batch batch) {
        int snapshots = seen.report(batch.from()).map(Reported::openSnapshots).orElse(0);
        Duration waited = seen.snapshotWaits().getOrDefault(batch.id(), Duration.ZERO);
        if (snapshots == 0 || waited.compareTo(SNAPSHOT_PATIENCE) >= 0) {
            return false;
        }
        wait(
                batch,
                snapshots + " open snapshots at " + seen.name(batch.from()) + ", which end in "
                        + SNAPSHOT_PATIENCE.minus(waited).toSeconds() + " s at the latest");
        return true;
    }

    private Optional<Command> fill(Batch batch) {
        return part(batch).map(part -> new Command.CompleteFill(seen.state().epoch(), batch.id(), part));
    }

    private Optional<Command> grow(Batch batch) {
        if (isHopeless(batch)) {
            return Optional.of(abort(batch));
        }
        Optional<PartitionSet> part = part(batch);
        if (part.isPresent() && seen.state().rebalance().paused()) {
            return wait(batch, Waits.PAUSED);
        }
        // A snapshot needs both of two replicas, and the heir has none that is older than its copy.
        boolean endsSnapshots = part.filter(complete ->
                        complete.stream().anyMatch(partition -> seen.state().width(partition) == 1))
                .isPresent();
        if (endsSnapshots && waitsForSnapshots(batch)) {
            return Optional.empty();
        }
        return part.map(complete -> new Command.CompleteGrow(seen.state().epoch(), batch.id(), complete));
    }

    /** Returns partitions that the heir has reported as complete, if they are enough of the batch. */
    private Optional<PartitionSet> part(Batch batch) {
        Optional<BatchProgress> progress = progress(batch);
        if (progress.isEmpty()) {
            return Optional.empty();
        }
        PartitionSet complete = progress.get().complete().intersection(batch.partitions());
        if (complete.isEmpty()
                || complete.cardinality() * LEAST_PARTS < batch.partitions().cardinality()) {
            copying(batch, progress.get(), batch.partitions().minus(complete));
            return Optional.empty();
        }
        return Optional.of(complete);
    }

    private void copying(Batch batch, BatchProgress progress, PartitionSet missing) {
        boolean paused = seen.state().rebalance().paused();
        String text = seen.name(batch.to()) + " to copy " + missing.cardinality() + " more of "
                + batch.partitions().cardinality() + " partitions"
                + (paused
                        ? "; moves are paused"
                        : progress.waitsFor()
                                        .map(what -> ", which fails for now: " + what)
                                        .orElse("")
                                + lostOwner(batch));
        waits.add(paused || progress.waitsFor().isPresent() ? Wait.of(batch, text) : Wait.whileCopying(batch, text));
    }

    /** Returns the decision about an owner that does not answer while its heir copies from it; empty if it answers. */
    private String lostOwner(Batch batch) {
        Member owner = seen.member(batch.from());
        boolean isMissing = owner.lifecycle().isPresent() && !seen.answers(batch.from());
        return isMissing ? ". " + owner.name() + " is silent: if it is lost, " + Remedies.replace(owner.name()) : "";
    }

    /** Returns whether the heir has reported all partitions of a batch as complete. */
    static boolean isComplete(Batch batch, Map<Integer, Reported> reports) {
        Reported report = reports.get(batch.to());
        return report != null
                && report.batches().stream()
                        .anyMatch(progress -> progress.batch() == batch.id()
                                && batch.partitions().minus(progress.complete()).isEmpty());
    }

    /** Returns the progress of the heir; adds a wait for it if there is none. */
    private Optional<BatchProgress> progress(Batch batch) {
        Optional<Reported> report = seen.report(batch.to());
        if (report.isEmpty()) {
            wait(batch, seen.silent(batch.to()));
            return Optional.empty();
        }
        Optional<BatchProgress> progress = report.get().batches().stream()
                .filter(each -> each.batch() == batch.id())
                .findFirst();
        if (progress.isEmpty()) {
            wait(batch, seen.name(batch.to()) + " to begin");
        }
        return progress;
    }

    /** Returns a command once a member has durably installed the present phase of a batch. */
    private Optional<Command> installed(Batch batch, int member, Command then) {
        long needed = batch.partitions().stream()
                .mapToLong(seen.state()::rowVersion)
                .max()
                .orElse(seen.state().epoch());
        Optional<Reported> report = seen.report(member);
        if (report.isEmpty()) {
            return wait(batch, seen.silent(member));
        }
        if (report.get().epoch() < needed) {
            return wait(batch, seen.behind(report.get(), member, needed));
        }
        return Optional.of(then);
    }

    private Command advance(Batch batch, Phase phase) {
        return new Command.AdvanceBatch(seen.state().epoch(), batch.id(), phase);
    }

    private Command abort(Batch batch) {
        return new Command.AbortBatch(seen.state().epoch(), batch.id());
    }

    private Optional<Command> wait(Batch batch, String what) {
        waits.add(Wait.of(batch, what));
        return Optional.empty();
    }
}
