package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.StandardOutput;
import io.dht4j.server.config.Setting;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The tables of docs/reference/command-line.md are the commands and options that there are. */
class CommandLineDocumentTest {

    private static final Path DOCUMENT = Path.of("..", "docs", "reference", "command-line.md");
    private static final Pattern CODE = Pattern.compile("`([^` ]+)[^`]*`");
    private static final Set<String> EVERYWHERE = Set.of("--help", "--version");
    private static final Set<String> SHARED = Set.of("Client options", "Policy options");
    /** Commands with a program of their own. */
    private static final Set<String> LAUNCHED = Set.of("bench", "simulate");

    /** What the first columns of a section's tables name, by the section's heading. */
    private final Map<String, Set<String>> sections = new LinkedHashMap<>();

    private final Map<String, CommandLine> commands = new LinkedHashMap<>();

    @BeforeEach
    void read() throws IOException {
        String section = "";
        for (String line : Files.readAllLines(DOCUMENT)) {
            if (line.startsWith("## ")) {
                section = line.substring(3);
                sections.put(section, new TreeSet<>());
            } else if (line.startsWith("| `") && !section.isEmpty()) {
                Matcher code = CODE.matcher(line.substring(0, line.indexOf(" | ", 2)));
                while (code.find()) {
                    sections.get(section).add(code.group(1));
                }
            }
        }
        commands.putAll(Dht.commandLine(nowhere()).getSubcommands());
        commands.remove("help");
    }

    @Test
    void everyCommandHasASectionAndATableOfAllThatItTakes() {
        Set<String> shared = new TreeSet<>();
        SHARED.forEach(section -> shared.addAll(sections.get(section)));
        commands.forEach((name, command) -> {
            Set<String> own = arguments(command);
            own.removeAll(shared);
            assertThat(sections).containsKey(name);
            assertThat(sections.get(name)).as(name).isEqualTo(own);
        });
    }

    @Test
    void sharedOptionsAreThoseOfACommandThatHasAll() {
        Set<String> shared = new TreeSet<>();
        SHARED.forEach(section -> shared.addAll(sections.get(section)));
        assertThat(arguments(commands.get("get"))).containsAll(shared);
    }

    @Test
    void theFirstTableNamesEveryCommand() throws IOException {
        String text = Files.readString(DOCUMENT);
        String table = text.substring(0, text.indexOf("\n## "));
        assertThat(commands.keySet()).allSatisfy(name -> assertThat(table).contains("[`" + name + "`](#" + name + ")"));
        assertThat(LAUNCHED).allSatisfy(name -> assertThat(table).contains("[`" + name + "`](#" + name + ")"));
    }

    @Test
    void theSecondColumnNamesTheOperationsThatTakeAnArgument() throws IOException {
        Map<String, CommandLine> operations = commands.get("atomic").getSubcommands();
        String text = Files.readString(DOCUMENT);
        String section = text.substring(text.indexOf("\n## atomic\n"));
        for (String argument : sections.get("atomic")) {
            Matcher row = Pattern.compile("(?m)^\\|[^|]*`" + argument + "[ `][^|]*\\| ([^|]*) \\|")
                    .matcher(section);
            assertThat(row.find()).as(argument).isTrue();
            Set<String> named =
                    new TreeSet<>(Set.of(row.group(1).replace("`", "").split(", ")));
            Set<String> taking = new TreeSet<>(operations.keySet());
            taking.removeIf(name -> !arguments(operations.get(name)).contains(argument));
            assertThat(named).as(argument).isEqualTo(taking.size() == operations.size() ? Set.of("all") : taking);
        }
    }

    /** Names of options, and labels of what has no name; without those that other pages list. */
    private static Set<String> arguments(CommandLine command) {
        Set<String> names = new TreeSet<>();
        command.getSubcommands().values().forEach(below -> names.addAll(arguments(below)));
        for (ArgSpec argument : command.getCommandSpec().args()) {
            if (argument instanceof OptionSpec option) {
                names.addAll(Set.of(option.names()));
            } else {
                names.add(argument.paramLabel());
            }
        }
        names.removeAll(EVERYWHERE);
        names.removeAll(Set.of("-h", "-V"));
        if (command.getCommandName().equals("server")) {
            for (Setting setting : Setting.values()) {
                names.remove(setting.option());
            }
        }
        return names;
    }

    private static Console nowhere() {
        StandardOutput unread = new StandardOutput(OutputStream.nullOutputStream());
        return new Console(new ByteArrayInputStream(new byte[0]), unread, unread, false, false, Map.of());
    }
}
