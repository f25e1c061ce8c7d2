package io.dht4j.benchmarks.report;

import java.util.List;

/**
 * A table of figures with a row for each variant.
 *
 * @param title the subject of the figures; may be empty
 * @param columns names of the figures
 * @param rows with a cell for each column
 */
record TableView(String title, List<String> columns, List<TableRow> rows) {

    /** A variant's figures. */
    record TableRow(String variant, List<String> cells) {}
}
