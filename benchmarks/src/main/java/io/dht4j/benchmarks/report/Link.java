package io.dht4j.benchmarks.report;

/**
 * A file that the report shows a link to.
 *
 * @param title what the file shows
 * @param path relative to the report's directory, with slashes
 */
public record Link(String title, String path) {}
