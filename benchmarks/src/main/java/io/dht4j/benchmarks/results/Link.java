package io.dht4j.benchmarks.results;

/**
 * A link of the report to a file.
 *
 * @param title of the file
 * @param path relative to the report's directory, with slashes
 */
public record Link(String title, String path) {

    /**
     * Validates the path.
     *
     * @throws IllegalArgumentException if the path is absolute, has a scheme or leaves the report's directory
     */
    public Link {
        ReportPath.require("path", path);
    }
}
