package io.dht4j.server.cli;

import io.dht4j.DhtException;
import io.dht4j.PrintableText;
import io.dht4j.server.ServerStartException;
import io.dht4j.server.cli.atomic.AtomicCommand;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.HelpAtSpaces;
import io.dht4j.server.cli.console.Messages;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.log.ShellWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line that {@code ./dht} runs. An installed launcher sets the system property {@code dht.command} to its
 * own name; then there are no commands that need a checkout.
 */
@Command(
        name = "dht",
        mixinStandardHelpOptions = true,
        versionProvider = Dht.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        header = "A replicated key-value store: its server, its command line, and a demo.%n",
        description = {
            "%nNew here? Run @|bold ${sys:dht.command:-./dht} demo|@.",
            "%nA cluster of one node, then a key to write and to read:%n",
            "  @|bold ${sys:dht.command:-./dht} server|@",
            "  @|bold ${sys:dht.command:-./dht} put greeting hello|@",
            "  @|bold ${sys:dht.command:-./dht} get greeting|@",
            "%nOptions of a command: @|bold ${sys:dht.command:-./dht} COMMAND --help|@.%n"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:failed, for example because a key is absent",
            "2:wrong usage",
            "4:the condition of an atomic operation does not hold",
            "141:standard output was closed by its reader"
        },
        subcommands = HelpCommand.class)
public final class Dht implements Callable<Integer> {

    /** Set by the launcher of an installation. */
    private static final String COMMAND_PROPERTY = "dht.command";

    /** Commands with a program of their own, which the launcher of a checkout starts. */
    private static final Map<String, String> LAUNCHED = Collections.unmodifiableSortedMap(new TreeMap<>(Map.of(
            "bench", "Runs experiments on this machine, to measure what each choice costs.",
            "simulate", "Searches for what breaks a cluster's promises.")));

    private static final Pattern SELECTOR = Pattern.compile("HttpClient-\\d+-SelectorManager");

    /** Commands that run nodes in this process. */
    private static final Set<String> RUN_NODES = Set.of("server", "demo");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    private Dht() {}

    /**
     * Runs a command and ends the process with its exit code.
     *
     * @param args the command and its arguments
     */
    public static void main(String[] args) {
        if (args.length > 0 && RUN_NODES.contains(args[0])) {
            // All loggers, gRPC's included, follow the configuration of the logs.
            SLF4JBridgeHandler.removeHandlersForRootLogger();
            SLF4JBridgeHandler.install();
        }
        // The text is English, and so are the numbers in it.
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        Console console = Console.ofProcess();
        int code = Arguments.undecodable(args)
                .map(problem -> {
                    console.report("dht: " + problem);
                    return CommandLine.ExitCode.USAGE;
                })
                .orElseGet(() -> console.execute(commandLine(console, args), args));
        endHttpClients();
        System.exit(code);
    }

    /**
     * Ends the threads that wait for the sockets of HTTP clients: they wait in native code, and the JVM waits up to 300
     * ms at its end for threads that do. A client cannot be closed before Java 21.
     */
    private static void endHttpClients() {
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> SELECTOR.matcher(thread.getName()).matches())
                .forEach(Thread::interrupt);
    }

    /**
     * Returns the command line with all its commands, for tools that document it.
     *
     * @return ready to execute, with the streams of the process
     */
    public static CommandLine commandLine() {
        return commandLine(Console.ofProcess());
    }

    /**
     * Returns the command line with all its commands.
     *
     * @param console where they read and write
     * @return ready for {@link Console#execute}
     */
    static CommandLine commandLine(Console console) {
        CommandLine commandLine = new CommandLine(new Dht());
        commands(console).forEach((name, command) -> commandLine.addSubcommand(name, command.get()));
        return configured(commandLine, console);
    }

    /** Returns the command line with the command of these arguments alone: reading all of them takes a while. */
    private static CommandLine commandLine(Console console, String[] args) {
        Supplier<Object> command = args.length == 0 ? null : commands(console).get(args[0]);
        return command == null
                ? commandLine(console)
                : configured(new CommandLine(new Dht()).addSubcommand(args[0], command.get()), console);
    }

    /** Returns the commands by their names, in the order of the help. */
    private static Map<String, Supplier<Object>> commands(Console console) {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("server", () -> ServerCommand.commandLine(console));
        commands.put("demo", () -> new DemoCommand(console));
        commands.put("put", () -> new PutCommand(console));
        commands.put("get", () -> new GetCommand(console));
        commands.put("delete", () -> new DeleteCommand(console));
        commands.put("scan", () -> new ScanCommand(console));
        commands.put("atomic", () -> AtomicCommand.commandLine(console));
        commands.put("status", () -> new StatusCommand(console));
        commands.put("slow-calls", () -> new SlowCallsCommand(console));
        commands.put("hot-keys", () -> new HotKeysCommand(console));
        commands.put("repair", () -> new RepairCommand(console));
        commands.put("nodes", () -> new NodesCommand(console));
        commands.put("rebalance", () -> new RebalanceCommand(console));
        commands.put("meta", () -> new MetaCommand(console));
        commands.put("load", () -> new LoadCommand(console));
        commands.put("dump", () -> new DumpCommand(console));
        commands.put("snapshot", () -> new SnapshotCommand(console));
        commands.put("restore", () -> new RestoreCommand(console));
        return commands;
    }

    private static CommandLine configured(CommandLine commandLine, Console console) {
        commandLine
                .setColorScheme(new ColorScheme.Builder(
                                CommandLine.Help.defaultColorScheme(console.outIsTerminal() ? Ansi.AUTO : Ansi.OFF))
                        .build())
                .setHelpFactory(HelpAtSpaces::new)
                .setUsageHelpAutoWidth(console.outIsTerminal())
                .setAbbreviatedOptionsAllowed(false)
                // An argument that begins with @ has no special meaning.
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((e, args) -> wrongUsage(e))
                .setExecutionExceptionHandler((e, command, result) -> failed(command, e));
        commandLine.getSubcommands().values().forEach(Dht::describe);
        HelpSections.commands(commandLine, sections(), launched());
        return commandLine;
    }

    /** Sets version and help of a command, and of those below it. */
    private static void describe(CommandLine command) {
        command.getCommandSpec().versionProvider(new Version());
        if (command.getCommandSpec().findOption("--node") != null) {
            HelpSections.ofClient(command);
        }
        Map<String, CommandLine> below = command.getSubcommands();
        if (!below.isEmpty()) {
            HelpSections.commands(command, Map.of("Operations", List.copyOf(below.keySet())), Map.of());
            below.values().forEach(Dht::describe);
        }
    }

    private static Map<String, List<String>> sections() {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        sections.put("Run", List.of("demo", "server"));
        sections.put("Read and write", List.of("put", "get", "delete", "scan", "atomic"));
        sections.put("Operate", List.of("status", "slow-calls", "hot-keys", "repair", "nodes", "rebalance", "meta"));
        sections.put("Copy in bulk", List.of("load", "dump", "snapshot", "restore"));
        List<String> others = new ArrayList<>(launched().keySet());
        others.add("help");
        sections.put("Find out", others);
        return sections;
    }

    private static Map<String, String> launched() {
        return System.getProperty(COMMAND_PROPERTY) == null ? LAUNCHED : Map.of();
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return CommandLine.ExitCode.USAGE;
    }

    private static int wrongUsage(ParameterException e) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().println(PrintableText.of(name + ": " + explain(e)));
        Set<String> others = command.getCommandSpec().userObject() instanceof Dht
                ? launched().keySet()
                : Set.of();
        Suggestions.of(e, others).ifPresent(command.getErr()::println);
        String launcher = System.getProperty(COMMAND_PROPERTY, "./dht");
        command.getErr().println("Try: " + launcher + name.substring("dht".length()) + " --help");
        return CommandLine.ExitCode.USAGE;
    }

    private static String explain(ParameterException e) {
        String unknown = Messages.unknown(e);
        Object command = e.getCommandLine().getCommandSpec().userObject();
        if (!unknown.isEmpty() && command instanceof Dht) {
            return Stream.concat(
                            Stream.of(Messages.noCommand(unknown, e.getCommandLine())), launched().keySet().stream())
                    .collect(Collectors.joining(", "));
        }
        if (!unknown.isEmpty() && !e.getCommandLine().getSubcommands().isEmpty()) {
            return Messages.noCommand(unknown, e.getCommandLine());
        }
        if (!unknown.isEmpty() && !unknown.startsWith("-") && command instanceof DumpCommand) {
            return "dump takes no argument " + unknown + "; the file is given by --out";
        }
        return Messages.of(e);
    }

    private static int failed(CommandLine command, Exception e) {
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        if (e instanceof ClientException || e instanceof ServerStartException) {
            err.println(PrintableText.of(name + ": " + e.getMessage()));
        } else if (e instanceof IOException io) {
            err.println(name + ": " + Messages.of(io));
        } else if (DhtException.unwrap(e) instanceof DhtException refused) {
            String why = ShellWords.of(String.valueOf(refused.getMessage()));
            err.println(PrintableText.of(name + ": " + refused.code() + ": " + why));
        } else {
            err.println(name + ": unexpected failure, which is a fault of this program:");
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            err.print(PrintableText.lines(trace.toString()));
            err.flush();
        }
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** The version that the build recorded. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            Properties properties = new Properties();
            try (InputStream in = Dht.class.getResourceAsStream("/io/dht4j/server/version.properties")) {
                if (in != null) {
                    properties.load(in);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new String[] {
                "dht4j " + properties.getProperty("version", "of unknown version") + ", Java " + Runtime.version()
            };
        }
    }
}
