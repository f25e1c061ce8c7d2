package io.dht4j.packaging;

import io.dht4j.server.config.Setting;
import io.dht4j.server.config.SettingSection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual pages of a command line: one of all commands, and one of each. */
final class ManualPages {

    private static final String SERVER = "server";

    private final CommandLine dht;
    private final String version;
    private final String date;

    /** Creates the pages of a version of that date. */
    ManualPages(CommandLine dht, String version, String date) {
        this.dht = dht;
        this.version = version;
        this.date = date;
    }

    /** Returns the page of all commands. */
    String overview() {
        Roff page = begin("dht", header(dht));
        page.request("SH", "SYNOPSIS")
                .raw(Roff.bold("dht") + " " + Roff.italic("COMMAND") + " [" + Roff.italic("OPTION") + "...]");
        page.request("SH", "DESCRIPTION");
        describe(page, dht);
        below(page, dht);
        exitStatus(page);
        environment(page);
        seeAlso(page, commands(dht).stream().map(ManualPages::name).toList());
        return page.toString();
    }

    /** Returns the page of a command. */
    String page(CommandLine command) {
        Roff page = begin(name(command), header(command));
        page.request("SH", "SYNOPSIS").raw(synopsis(command));
        page.request("SH", "DESCRIPTION");
        describe(page, command);
        arguments(page, command);
        below(page, command);
        options(page, command);
        exitStatus(page);
        environment(page);
        seeAlso(
                page,
                Stream.concat(
                                Stream.of(name(command.getParent())),
                                commands(command).stream().map(ManualPages::name))
                        .toList());
        return page.toString();
    }

    /** Returns the commands below a command that have a page. */
    static List<CommandLine> commands(CommandLine above) {
        return above.getSubcommands().values().stream()
                .filter(command -> !command.getCommandName().equals("help"))
                .toList();
    }

    /** Returns the name of a command's page. */
    static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName("-");
    }

    private static void below(Roff page, CommandLine above) {
        List<CommandLine> commands = commands(above);
        if (!commands.isEmpty()) {
            page.request("SH", "COMMANDS");
        }
        for (CommandLine command : commands) {
            page.request("TP")
                    .raw(Roff.bold(command.getCommandSpec().qualifiedName()))
                    .line(header(command));
        }
    }

    private Roff begin(String name, String header) {
        Roff page = new Roff().request("TH", name.toUpperCase(Locale.ROOT), "1", date, "dht4j " + version, "dht4j");
        String purpose = header.endsWith(".") ? header.substring(0, header.length() - 1) : header;
        return page.request("SH", "NAME")
                .raw(Roff.bold(name).replace("\\fB", "").replace("\\fR", "") + " \\- " + purpose);
    }

    private static String header(CommandLine command) {
        return plain(String.join(" ", command.getCommandSpec().usageMessage().header()))
                .strip();
    }

    private static String synopsis(CommandLine command) {
        StringBuilder synopsis = new StringBuilder(
                        Roff.bold(command.getCommandSpec().qualifiedName()))
                .append(" [")
                .append(Roff.italic("OPTION"))
                .append("...]");
        if (!command.getSubcommands().isEmpty()) {
            synopsis.append(' ').append(Roff.italic("COMMAND"));
        }
        for (PositionalParamSpec argument : command.getCommandSpec().positionalParameters()) {
            String label = Roff.italic(argument.paramLabel());
            synopsis.append(' ').append(argument.required() ? label : "[" + label + "]");
        }
        return synopsis.toString();
    }

    /** Writes the description: paragraphs, and lines that begin with spaces as they are. */
    private static void describe(Roff page, CommandLine command) {
        List<String> example = new ArrayList<>();
        for (String part : command.getCommandSpec().usageMessage().description()) {
            for (String line : plain(part).lines().toList()) {
                if (line.startsWith("  ")) {
                    example.add(line.strip());
                } else if (!line.isBlank()) {
                    flush(page, example);
                    page.request("PP").line(line);
                }
            }
        }
        flush(page, example);
    }

    private static void flush(Roff page, List<String> example) {
        if (!example.isEmpty()) {
            page.verbatim(example);
            example.clear();
        }
    }

    private static void arguments(Roff page, CommandLine command) {
        List<PositionalParamSpec> arguments = command.getCommandSpec().positionalParameters();
        if (!arguments.isEmpty()) {
            page.request("SH", "ARGUMENTS");
        }
        for (PositionalParamSpec argument : arguments) {
            page.request("TP").raw(Roff.italic(argument.paramLabel())).line(text(argument.description()));
        }
    }

    private static void options(Roff page, CommandLine command) {
        boolean isServer = command.getCommandName().equals(SERVER);
        Map<String, List<OptionSpec>> sections = new LinkedHashMap<>();
        if (isServer) {
            for (SettingSection section : SettingSection.values()) {
                sections.put(section.heading(), new ArrayList<>());
            }
        }
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                sections.computeIfAbsent(heading(option, isServer), heading -> new ArrayList<>())
                        .add(option);
            }
        }
        page.request("SH", "OPTIONS");
        sections.forEach((heading, options) -> {
            if (isServer) {
                page.request("SS", heading);
            }
            for (OptionSpec option : options) {
                page.request("TP").raw(names(option)).line(text(option.description()));
            }
        });
    }

    private static String heading(OptionSpec option, boolean isServer) {
        return isServer
                ? Setting.byPropertyName(option.longestName().substring(2))
                        .map(setting -> setting.section().heading())
                        .orElse("This command")
                : "";
    }

    private static String names(OptionSpec option) {
        String names = Arrays.stream(option.names()).map(Roff::bold).collect(Collectors.joining(", "));
        if (option.arity().max() == 0) {
            return names;
        }
        String value = "=" + Roff.italic(option.paramLabel());
        return names + (option.arity().min() == 0 ? "[" + value + "]" : value);
    }

    private void exitStatus(Roff page) {
        page.request("SH", "EXIT STATUS");
        dht.getCommandSpec()
                .usageMessage()
                .exitCodeList()
                .forEach((code, meaning) ->
                        page.request("TP").raw(Roff.bold(code)).line(plain(meaning)));
    }

    private static void environment(Roff page) {
        page.request("SH", "ENVIRONMENT");
        variable(page, "DHT_NODE", "Default of --node.");
        variable(page, "DHT_TOKEN", "Token for nodes that require one, if --token-file is absent.");
        variable(page, "DHT_REPLICATION_FACTOR, ...", "An option of dht server each: its name in capitals.");
        variable(page, "DHT_JAVA_OPTS", "Options of the JVM, as in -Xmx4g.");
        variable(page, "JAVA_HOME", "The Java installation, 17 or newer; default: java of the path.");
    }

    private static void variable(Roff page, String name, String meaning) {
        page.request("TP").raw(Roff.bold(name)).line(meaning);
    }

    private static void seeAlso(Roff page, List<String> pages) {
        page.request("SH", "SEE ALSO")
                .raw(pages.stream().map(name -> Roff.bold(name) + "(1)").collect(Collectors.joining(", ")));
    }

    private static String text(String[] description) {
        return plain(String.join(" ", description)).strip();
    }

    /** Returns a text without picocli's markup, for a launcher on the path. */
    private static String plain(String markup) {
        return Ansi.OFF
                .string(markup.replace("%n", "\n").replace("%%", "%"))
                .replace(System.lineSeparator(), "\n")
                .replace("./dht", "dht");
    }
}
