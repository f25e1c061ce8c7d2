package io.dht4j.topology.microraft;

import io.dht4j.spi.FileFailure;
import io.dht4j.spi.TopologyLog.Applier;
import io.dht4j.topology.microraft.internal.codec.NewTerm;
import io.dht4j.topology.microraft.internal.codec.SnapshotChunks;
import io.microraft.statemachine.StateMachine;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

/**
 * Passes agreed commands to the applier. MicroRaft only logs exceptions of a state machine and continues. So this class
 * reports a failure, and applies no further command. Used on the lane.
 */
final class AppliedCommands implements StateMachine {

    private final Applier applier;
    private final IntSupplier term;
    private final IntConsumer newTerm;
    private final Consumer<String> failure;
    private boolean failed;

    /**
     * Creates one.
     *
     * @param term returns the current term
     * @param newTerm is called when all entries before the beginning of a term are applied
     * @param failure is called when the applier has thrown
     */
    AppliedCommands(Applier applier, IntSupplier term, IntConsumer newTerm, Consumer<String> failure) {
        this.applier = applier;
        this.term = term;
        this.newTerm = newTerm;
        this.failure = failure;
    }

    @Override
    public Object runOperation(long index, Object operation) {
        if (operation instanceof NewTerm begun) {
            newTerm.accept(begun.term());
        } else {
            guarded("apply command " + index, () -> applier.apply(index, (byte[]) operation));
        }
        return operation;
    }

    @Override
    public void takeSnapshot(long index, Consumer<Object> parts) {
        guarded("take a snapshot at command " + index, () -> SnapshotChunks.cut(applier.snapshot(), parts));
    }

    @Override
    public void installSnapshot(long index, List<Object> parts) {
        guarded("restore the snapshot of command " + index, () -> applier.restore(index, SnapshotChunks.join(parts)));
    }

    @Override
    public Object getNewTermOperation() {
        return new NewTerm(term.getAsInt());
    }

    private void guarded(String what, Runnable call) {
        if (failed) {
            throw new IllegalStateException("the applier has failed before");
        }
        boolean done = false;
        try {
            call.run();
            done = true;
        } catch (RuntimeException e) {
            fail(what, FileFailure.inWords(e));
            throw e;
        } finally {
            if (!done) {
                fail(what, "an error of this process");
            }
        }
    }

    private void fail(String what, String why) {
        if (!failed) {
            failed = true;
            failure.accept("the topology could not " + what + " (" + why
                    + "): this node does not know the agreed topology any more; start it again, and report the fault");
        }
    }
}
