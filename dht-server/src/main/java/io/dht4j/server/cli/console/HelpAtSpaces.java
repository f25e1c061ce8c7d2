package io.dht4j.server.cli.console;

import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The help text of a command, whose lines break at spaces only. Those of picocli also break within words that are to be
 * copied, such as {@code ./dht} and {@code 127.0.0.1:8080}.
 */
public final class HelpAtSpaces extends Help {

    /**
     * Creates the help of a command.
     *
     * @param command the command
     * @param scheme its colours
     */
    public HelpAtSpaces(CommandSpec command, ColorScheme scheme) {
        super(command, scheme);
    }

    @Override
    public String header(Object... params) {
        return paragraphs(commandSpec().usageMessage().header(), params);
    }

    @Override
    public String description(Object... params) {
        return paragraphs(commandSpec().usageMessage().description(), params);
    }

    private String paragraphs(String[] texts, Object... params) {
        Table table = new Table(colorScheme(), new Column(width(), 0, Column.Overflow.WRAP));
        table.indentWrappedLines = 0;
        for (String text : texts) {
            for (Text line : colorScheme().text(String.format(text, params)).splitLines()) {
                table.addRowValues(line);
            }
        }
        return table.toString();
    }

    @Override
    protected String insertSynopsisCommandName(int synopsisHeadingLength, Text arguments) {
        UsageMessageSpec usage = commandSpec().usageMessage();
        String command = commandSpec().qualifiedName();
        int indent = synopsisHeadingLength + command.length() + 1;
        Table table = new Table(colorScheme(), new Column(width(), 0, Column.Overflow.WRAP));
        table.indentWrappedLines =
                indent > usage.synopsisAutoIndentThreshold() * width() ? synopsisHeadingLength : indent;
        // In place of the heading, which stands before the result.
        Text heading = colorScheme().text("X".repeat(synopsisHeadingLength));
        table.addRowValues(heading.concat(colorScheme().commandText(command)).concat(arguments));
        return table.toString().substring(synopsisHeadingLength);
    }

    @Override
    public Layout createDefaultLayout() {
        return atSpaces(super.createDefaultLayout(), colorScheme());
    }

    @Override
    public Layout createDefaultLayout(
            List<OptionSpec> options, List<PositionalParamSpec> positionals, ColorScheme scheme) {
        return atSpaces(super.createDefaultLayout(options, positionals, scheme), scheme);
    }

    private Layout atSpaces(Layout layout, ColorScheme scheme) {
        return new Layout(
                scheme,
                new Table(scheme, layout.textTable().columns()),
                createDefaultOptionRenderer(),
                createDefaultParameterRenderer());
    }

    private int width() {
        return commandSpec().usageMessage().width();
    }

    /** A table whose cells break at spaces only. */
    public static final class Table extends TextTable {

        private final ColorScheme scheme;

        /**
         * Creates an empty table.
         *
         * @param scheme its colours
         * @param columns its columns
         */
        public Table(ColorScheme scheme, Column... columns) {
            super(scheme, columns);
            this.scheme = scheme;
        }

        @Override
        public Cell putValue(int row, int col, Text value) {
            Column column = columns()[col];
            if (value == null || column.overflow != Column.Overflow.WRAP) {
                return super.putValue(row, col, value);
            }
            String text = value.plainString();
            int end = lineEnd(text, 0, column.width - column.indent);
            Cell cell = super.putValue(row, col, value.substring(0, end));
            for (int from = nextWord(text, end); from < text.length(); from = nextWord(text, end)) {
                end = lineEnd(text, from, column.width - column.indent - indentWrappedLines);
                int below = cell.row + 1;
                while (rowCount() <= below) {
                    addEmptyRow();
                }
                Text indent = scheme.text(" ".repeat(indentWrappedLines));
                cell = super.putValue(below, col, indent.concat(value.substring(from, end)));
            }
            return cell;
        }

        /** Returns the end of the last word that has room; of the first one if none has. */
        private static int lineEnd(String text, int from, int room) {
            if (text.length() - from <= room) {
                return text.length();
            }
            int first = nextWord(text, from);
            int space = text.lastIndexOf(' ', from + room);
            if (space <= first) {
                space = text.indexOf(' ', first);
            }
            return space < 0 ? text.length() : space;
        }

        private static int nextWord(String text, int from) {
            int at = from;
            while (at < text.length() && text.charAt(at) == ' ') {
                at++;
            }
            return at;
        }
    }
}
