package io.dht4j.benchmarks.compare;

import io.dht4j.benchmarks.results.Machine;
import io.dht4j.benchmarks.results.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

/** The differences between two runs other than their figures. */
final class RunDifferences {

    private static final String ABSENT = "(none)";

    private final List<String> changes = new ArrayList<>();

    private RunDifferences() {}

    /** Returns the differences in words; empty if build, parameters and machine are the same. */
    static List<String> changes(Results a, Results b) {
        RunDifferences all = new RunDifferences();
        all.compare(a, b);
        return List.copyOf(all.changes);
    }

    private void compare(Results a, Results b) {
        change("scenario", a.scenario(), b.scenario());
        change("form", a.quick() ? "quick" : "full", b.quick() ? "quick" : "full");
        TreeSet<String> names = new TreeSet<>(a.parameters().keySet());
        names.addAll(b.parameters().keySet());
        for (String name : names) {
            change(
                    "--" + name,
                    a.parameters().getOrDefault(name, ABSENT),
                    b.parameters().getOrDefault(name, ABSENT));
        }
        if (a.build().equals(Results.UNKNOWN_BUILD) && b.build().equals(Results.UNKNOWN_BUILD)) {
            changes.add("build: not known of either");
        }
        change("build", a.build(), b.build());
        Machine before = a.machine();
        Machine after = b.machine();
        change("processors", before.processors() + "", after.processors() + "");
        change("processor", before.processor(), after.processor());
        change("memory", before.memoryBytes() + " bytes", after.memoryBytes() + " bytes");
        change("system", before.system(), after.system());
        change("Java", before.java(), after.java());
    }

    private void change(String what, String a, String b) {
        if (!Objects.equals(a, b)) {
            changes.add(what + ": " + a + " -> " + b);
        }
    }
}
