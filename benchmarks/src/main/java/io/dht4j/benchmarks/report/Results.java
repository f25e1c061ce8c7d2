package io.dht4j.benchmarks.report;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything that a run of a scenario gave: what {@code results.json} holds. {@code docs/reference/bench.md} documents
 * the schema.
 *
 * @param schema version of the schema, {@link #SCHEMA}
 * @param scenario its name on the command line
 * @param question what it answers
 * @param command what repeats it, word by word
 * @param began when it began
 * @param tookSeconds how long it took
 * @param complete false if it was stopped, or ended by an error
 * @param quick whether it was the short form
 * @param parameters every parameter with the value that was used, defaults too
 * @param build what was measured: tells builds of the library apart
 * @param machine where it ran
 * @param measurements in the order in which to show them
 * @param notes what a reader must know besides, in words
 * @param links to files that belong to no single measurement
 */
public record Results(
        int schema,
        String scenario,
        String question,
        List<String> command,
        Instant began,
        double tookSeconds,
        boolean complete,
        boolean quick,
        Map<String, String> parameters,
        String build,
        Machine machine,
        List<Measurement> measurements,
        List<String> notes,
        List<Link> links) {

    /** The version of the schema that this code writes. */
    public static final int SCHEMA = 3;

    /** The build, where nothing tells it from others. */
    public static final String UNKNOWN_BUILD = "not from jars";

    /** Keeps unmodifiable copies, parameters in their order. */
    public Results {
        command = List.copyOf(command);
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
        measurements = List.copyOf(measurements);
        notes = List.copyOf(notes);
        links = List.copyOf(links);
    }
}
