package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.profile.ThreadState;
import io.dht4j.benchmarks.profile.ThreadStates;
import java.util.Locale;

/** The use of time by groups of threads, as a table in Markdown. */
final class ThreadTable {

    private static final double PERCENT = 100;
    private static final double NANOS = 1e9;

    private ThreadTable() {}

    static String of(ThreadStates states) {
        StringBuilder table = new StringBuilder("| threads | seconds, all together |");
        for (ThreadState state : ThreadState.values()) {
            table.append(' ').append(state.label()).append(" |");
        }
        table.append("\n|---|---|")
                .append("---|".repeat(ThreadState.values().length))
                .append('\n');
        for (ThreadStates.Row row : states.rows()) {
            table.append(String.format(Locale.ROOT, "| %s | %.1f |", row.threads(), row.nanos() / NANOS));
            for (ThreadState state : ThreadState.values()) {
                table.append(String.format(
                        Locale.ROOT, " %.1f %% |", PERCENT * row.shares().getOrDefault(state, 0.0)));
            }
            table.append('\n');
        }
        return table.toString();
    }
}
