package io.dht4j.benchmarks.results;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All results of a run of a scenario, as in {@code results.json}. {@code docs/reference/bench.md} documents the schema.
 *
 * @param schema version of the schema, {@link #SCHEMA}
 * @param scenario its name on the command line
 * @param question that it answers
 * @param keyFigure that answers it
 * @param conclusion a sentence of the scenario that precedes the comparison by the key figure; empty for none
 * @param command that repeats it, word by word
 * @param began its begin
 * @param tookSeconds its duration
 * @param complete false if it was stopped or failed
 * @param quick whether it was the short form
 * @param parameters every parameter with its value, defaults too
 * @param build digest of the measured build
 * @param machine that ran it
 * @param measurements in the order in which to show them
 * @param notes for readers, in words
 * @param links to files of no single measurement
 */
public record Results(
        int schema,
        String scenario,
        String question,
        KeyFigure keyFigure,
        String conclusion,
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
    public static final int SCHEMA = 7;

    /** The build, if no digest is known. */
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
