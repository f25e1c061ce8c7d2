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
 * Whether puts, deletes and quorum reads of each key took effect one after the other, each at one moment between its
 * beginning and its end. For histories in which nothing expires. Source: J. Wing, C. Gong, <em>Testing and Verifying
 * Concurrent Objects</em>, 1993, with the states that were seen remembered, as by G. Lowe, <em>Testing for
 * Linearizability</em>, 2017. Belongs to the thread of its history.
 */
public final class LinearizabilityCheck {

    private static final int NOTHING = -1;

    private final List<Operation> operations;
    /** For each, which write a read has shown, by its place; {@link #NOTHING} for none. */
    private final int[] shown;

    private final Set<State> seen = new HashSet<>();

    /** What has taken effect, and which write was the last. */
    private record State(BitSet done, int last) {}

    private LinearizabilityCheck(List<Operation> operations) {
        this.operations = operations;
        this.shown = new int[operations.size()];
        for (int i = 0; i < shown.length; i++) {
            shown[i] = origin(operations.get(i));
        }
    }

    /**
     * Judges a history that has ended.
     *
     * @param history what clients did
     * @return what is wrong; empty if nothing is
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

    /** Whether it must have taken effect; others may have, at any time. */
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

    /** Looks for an order, depth first, without recursion: histories may be long. */
    private boolean search() {
        List<State> open = new ArrayList<>();
        open.add(new State(new BitSet(), NOTHING));
        while (!open.isEmpty()) {
            State state = open.remove(open.size() - 1);
            if (isComplete(state)) {
                return true;
            }
            int end = firstEnd(state);
            for (int i = state.done().nextClearBit(0);
                    i < operations.size() && operations.get(i).begun() < end;
                    i = state.done().nextClearBit(i + 1)) {
                after(state, i).filter(seen::add).ifPresent(open::add);
            }
        }
        return false;
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
     * When the first of those ended that must take effect and have not: nothing that began later can come before it.
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

    private Optional<State> after(State state, int index) {
        Operation operation = operations.get(index);
        if (!operation.isWrite() && shown[index] != current(state)) {
            return Optional.empty();
        }
        BitSet done = (BitSet) state.done().clone();
        done.set(index);
        return Optional.of(new State(done, operation.isWrite() ? index : state.last()));
    }

    /** What a read shows: a delete is nothing. */
    private int current(State state) {
        return state.last() == NOTHING || operations.get(state.last()).kind() == Operation.Kind.DELETE
                ? NOTHING
                : state.last();
    }
}
