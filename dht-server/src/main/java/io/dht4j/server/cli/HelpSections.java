package io.dht4j.server.cli;

import io.dht4j.server.cli.console.HelpAtSpaces;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Groups the options and the commands of a help text into sections with headings. */
final class HelpSections {

    /** The headings of the options of commands that call a node; other options come first, under {@code Options}. */
    private static final Map<String, String> OF_CLIENTS = Map.ofEntries(
            Map.entry("--ack", "Replicas and ordering"),
            Map.entry("--from", "Replicas and ordering"),
            Map.entry("--ordering", "Replicas and ordering"),
            Map.entry("--node", "Node"),
            Map.entry("--timeout", "Node"),
            Map.entry("--token-file", "Security"),
            Map.entry("--tls-ca", "Security"),
            Map.entry("--tls-cert", "Security"),
            Map.entry("--tls-key", "Security"),
            Map.entry("--allow-plaintext", "Security"));

    private HelpSections() {}

    /** Groups the options of a command that calls a node. */
    static void ofClient(CommandLine command) {
        options(
                command,
                List.of("Options", "Replicas and ordering", "Node", "Security"),
                option -> OF_CLIENTS.getOrDefault(option.longestName(), "Options"));
    }

    /**
     * Groups options.
     *
     * @param headings in the order in which they are shown
     * @param headingOf one of the headings for each option
     */
    static void options(CommandLine command, List<String> headings, Function<OptionSpec, String> headingOf) {
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> {
            List<OptionSpec> all = help.commandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .toList();
            Map<String, List<OptionSpec>> groups =
                    all.stream().collect(Collectors.groupingBy(headingOf, LinkedHashMap::new, Collectors.toList()));
            StringBuilder text = new StringBuilder();
            for (String heading : headings) {
                List<OptionSpec> group = groups.getOrDefault(heading, List.of());
                if (!group.isEmpty()) {
                    text.append(heading(help, heading)).append(list(help, group, all));
                }
            }
            return text.toString();
        });
    }

    /** Returns one list; the widths of the columns are those of all options. */
    private static String list(Help help, List<OptionSpec> group, List<OptionSpec> all) {
        Help.Layout layout = help.createDefaultLayout(all, List.of(), help.colorScheme());
        layout.addAllOptions(new ArrayList<>(group), help.createDefaultParamLabelRenderer());
        return layout.toString();
    }

    /**
     * Groups the commands of a command.
     *
     * @param groups headings with the names of commands; every command belongs to one
     * @param launched descriptions of commands of a group that the command line itself does not know, by their names
     */
    static void commands(CommandLine command, Map<String, List<String>> groups, Map<String, String> launched) {
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> {
            int width = groups.values().stream()
                    .flatMap(List::stream)
                    .mapToInt(String::length)
                    .max()
                    .orElse(0);
            StringBuilder text = new StringBuilder();
            groups.forEach((heading, names) -> {
                text.append(heading(help, heading));
                Help.TextTable table = new HelpAtSpaces.Table(
                        help.colorScheme(),
                        new Help.Column(width + 4, 2, Help.Column.Overflow.SPAN),
                        new Help.Column(
                                help.commandSpec().usageMessage().width() - width - 4, 2, Help.Column.Overflow.WRAP));
                for (String name : names) {
                    Help sub = help.subcommands().get(name);
                    String what = sub == null
                            ? launched.getOrDefault(name, "")
                            : String.format(String.join(
                                            "", sub.commandSpec().usageMessage().header()))
                                    .strip();
                    table.addRowValues(
                            help.colorScheme().commandText(name),
                            help.colorScheme().text(what));
                }
                text.append(table);
            });
            return text.toString();
        });
    }

    private static String heading(Help help, String heading) {
        return help.colorScheme()
                .text("%n@|bold " + heading + ":|@%n")
                .toString()
                .replace("%n", System.lineSeparator());
    }
}
