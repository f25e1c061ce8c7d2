package io.dht4j.simulator.history;

import io.dht4j.Key;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks that counters are linearizable to which each addition adds another power of two. A sum is then the set of the
 * additions up to it, so that each one that is lost, made twice or out of order shows. Without state.
 */
public final class CounterCheck {

    private CounterCheck() {}

    /**
     * A call that has begun. Its moments come from one sequence of all calls.
     *
     * @param key the counter
     * @param addend what it adds, a power of two that no other addition to this counter adds; 0 for a read
     * @param begun the moment of its begin
     * @param ended the moment of its end; {@link Integer#MAX_VALUE} if it has none
     * @param sum what it showed; empty if it has failed or not ended
     * @param mayBeDone whether an addition without a sum may have been made, or may yet be
     * @param by its caller, for people
     */
    public record Call(Key key, long addend, int begun, int ended, Optional<Long> sum, boolean mayBeDone, String by) {

        private long shown() {
            return sum.orElseThrow();
        }

        @Override
        public String toString() {
            return (addend == 0 ? "a read of " : "the addition of bit " + Long.numberOfTrailingZeros(addend) + " to ")
                    + key + " by " + by + " from " + begun + " to " + ended + " shows "
                    + sum.map(Long::toBinaryString).orElse("nothing");
        }
    }

    /**
     * Returns what no order of the calls explains.
     *
     * @param calls the calls of any number of counters
     * @return one line each; empty if the counters are linearizable
     */
    public static List<String> violations(List<Call> calls) {
        List<String> found = new ArrayList<>();
        Map<Key, List<Call>> byKey = new LinkedHashMap<>();
        calls.forEach(call ->
                byKey.computeIfAbsent(call.key(), key -> new ArrayList<>()).add(call));
        byKey.values().forEach(ofOne -> check(ofOne, found));
        return found;
    }

    private static void check(List<Call> calls, List<String> found) {
        List<Call> shown = calls.stream().filter(call -> call.sum().isPresent()).toList();
        for (Call call : shown) {
            long possible = 0;
            long required = call.addend();
            for (Call other : calls) {
                if (other.begun() < call.ended() && (other.sum().isPresent() || other.mayBeDone())) {
                    possible |= other.addend();
                }
                if (other.ended() < call.begun()) {
                    required |= other.sum().orElse(0L);
                }
            }
            report(call.shown() & ~possible, call, "which were not made, or twice", found);
            report(required & ~call.shown(), call, "which are missing", found);
        }
        requireOneOrder(shown, found);
    }

    private static void report(long bits, Call call, String what, List<String> found) {
        if (bits != 0) {
            found.add(call + ": additions " + Long.toBinaryString(bits) + ", " + what);
        }
    }

    /** Each sum has the additions of the one before, and one addition shows itself last. */
    private static void requireOneOrder(List<Call> shown, List<String> found) {
        List<Call> ordered = shown.stream()
                .sorted(Comparator.<Call>comparingInt(call -> Long.bitCount(call.shown()))
                        .thenComparing(call -> call.addend() == 0))
                .toList();
        for (int i = 1; i < ordered.size(); i++) {
            Call before = ordered.get(i - 1);
            Call call = ordered.get(i);
            boolean isSame = before.shown() == call.shown();
            if ((before.shown() & ~call.shown()) != 0 || (isSame && call.addend() != 0)) {
                found.add(call + " although " + before);
            }
        }
    }
}
