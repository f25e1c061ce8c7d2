package io.dht4j.simulator.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks whether puts, deletes and quorum reads of each key are linearizable: each took effect at one moment between
 * its beginning and its end. For histories without expiry. Confined to the thread of its history.
 *
 * <p>Source: J. Wing, C. Gong, <em>Testing and Verifying Concurrent Objects</em>, 1993, with memoized states as in G.
 * Lowe, <em>Testing for Linearizability</em>, 2017. Three choices need no search, since values are unique. A read that
 * shows the current value takes effect at once: that excludes no order. A write of unknown outcome takes effect only
 * just before a read that shows it: elsewhere it would be unobservable. Deletes of unknown outcome are equivalent, once
 * begun.
 */
public final class LinearizabilityCheck {

    private static final int NOTHING = -1;

    private final List<Operation> operations;
    /** For each read, the index of the write that it shows; {@link #NOTHING} for none. */
    private final int[] shown;

    private final Set<State> seen = new HashSet<>();

    /** The operations that have taken effect, and the write that a read shows now. */
    private record State(BitSet done, int current) {}

    private LinearizabilityCheck(List<Operation> operations) {
        this.operations = operations;
        this.shown = new int[operations.size()];
        for (int i = 0; i < shown.length; i++) {
            shown[i] = origin(operations.get(i));
        }
    }

    /**
     * Checks a completed history.
     *
     * @param history the history
     * @return the violations; empty if there are none
     */
    public static List<String> violations(History history) {
        List<String> found = new ArrayList<>();
        for (var key : history.keys()) {
            List<Operation> operations = history.of(key).stream()
                    .filter(LinearizabilityCheck::counts)
                    .sorted(Comparator.comparingInt(Operation::begun))
                    .toList();
            if (!new LinearizabilityCheck(operations).search()) {
                found.add("no order of the operations on " + key + " explains them: " + operations);
            }
        }
        return found;
    }

    private static boolean counts(Operation operation) {
        return operation.isWrite()
                ? operation.outcome() != Operation.Outcome.FAILED
                : operation.kind() == Operation.Kind.READ && operation.outcome() == Operation.Outcome.DONE;
    }

    /** Returns whether the operation must have taken effect. Others may have, at any time. */
    private static boolean isCertain(Operation operation) {
        return operation.outcome() == Operation.Outcome.DONE;
    }

    private int origin(Operation read) {
        byte[] value = read.read();
        if (read.isWrite() || value == null) {
            return NOTHING;
        }
        for (int i = 0; i < operations.size(); i++) {
            if (operations.get(i).isWrite() && Arrays.equals(operations.get(i).written(), value)) {
                return i;
            }
        }
        return Integer.MAX_VALUE;
    }

    /** Searches for an order depth first, iteratively since histories may be long. */
    private boolean search() {
        List<State> open = new ArrayList<>();
        open.add(new State(new BitSet(), NOTHING));
        while (!open.isEmpty()) {
            State state = open.remove(open.size() - 1);
            int end = readAll(state);
            if (isComplete(state)) {
                return true;
            }
            if (!seen.add(state)) {
                continue;
            }
            for (int i = state.done().nextClearBit(0);
                    i < operations.size() && operations.get(i).begun() < end;
                    i = state.done().nextClearBit(i + 1)) {
                if (isCertain(operations.get(i))) {
                    after(state, i, end).ifPresent(open::add);
                }
            }
        }
        return false;
    }

    /** Lets all reads take effect that show the current value. Returns the first end after that. */
    private int readAll(State state) {
        BitSet done = state.done();
        int end = firstEnd(state);
        for (int i = done.nextClearBit(0);
                i < operations.size() && operations.get(i).begun() < end;
                i = done.nextClearBit(i + 1)) {
            if (!operations.get(i).isWrite() && shown[i] == state.current()) {
                done.set(i);
                // It may have held back later reads.
                end = firstEnd(state);
            }
        }
        return end;
    }

    private boolean isComplete(State state) {
        for (int i = state.done().nextClearBit(0);
                i < operations.size();
                i = state.done().nextClearBit(i + 1)) {
            if (isCertain(operations.get(i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the earliest end of a certain operation that has not taken effect. No operation that began later can
     * precede it.
     */
    private int firstEnd(State state) {
        int end = Operation.NEVER;
        for (int i = state.done().nextClearBit(0);
                i < operations.size();
                i = state.done().nextClearBit(i + 1)) {
            if (isCertain(operations.get(i))) {
                end = Math.min(end, operations.get(i).ended());
            }
        }
        return end;
    }

    /** Returns the state after a certain operation; empty if it cannot come next. */
    private Optional<State> after(State state, int index, int end) {
        BitSet done = (BitSet) state.done().clone();
        done.set(index);
        if (operations.get(index).isWrite()) {
            return Optional.of(new State(done, shownAfter(index)));
        }
        int write = shown[index] == NOTHING ? unknownDelete(done, end) : shown[index];
        if (write < 0 || write >= operations.size() || done.get(write)) {
            return Optional.empty();
        }
        if (isCertain(operations.get(write)) || operations.get(write).begun() >= end) {
            return Optional.empty();
        }
        done.set(write);
        return Optional.of(new State(done, shown[index]));
    }

    /** Returns the first delete of unknown outcome that may come next; {@link #NOTHING} for none. */
    private int unknownDelete(BitSet done, int end) {
        for (int i = done.nextClearBit(0);
                i < operations.size() && operations.get(i).begun() < end;
                i = done.nextClearBit(i + 1)) {
            if (operations.get(i).kind() == Operation.Kind.DELETE && !isCertain(operations.get(i))) {
                return i;
            }
        }
        return NOTHING;
    }

    /** Returns what a read shows after a write; nothing after a delete. */
    private int shownAfter(int write) {
        return operations.get(write).kind() == Operation.Kind.DELETE ? NOTHING : write;
    }
}
