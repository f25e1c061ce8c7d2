package io.dht4j.server.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.dht4j.server.Lifetime;
import io.dht4j.server.ServerNode;
import io.dht4j.server.ServerStartException;
import io.dht4j.server.StartWatch;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.config.ConfigException;
import io.dht4j.server.config.GivenSettings;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.server.config.SettingSection;
import io.dht4j.transport.common.ThreadWatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs a node until it is asked to stop. */
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        header = "Runs a node.%n",
        description = {
            "%nPrints one line when it serves: @|bold ready|@, its name, its URL, and what is on. After SIGTERM or "
                    + "Ctrl-C it serves for the time of --shutdown-delay, completes requests in flight and ends with "
                    + "exit code 0, within another 10 seconds. It ends with 1 if that takes longer, and when it can no "
                    + "longer serve; with 0 when it was removed from the cluster.%n",
            "Without options: a cluster of one node, with its data in dht-data/n1. Three nodes on one machine, "
                    + "each in its own terminal:%n",
            "  P=n1=127.0.0.1:8081,n2=127.0.0.1:8082,n3=127.0.0.1:8083",
            "  dht server --id n1 --listen 127.0.0.1:8081 --peers $P",
            "  dht server --id n2 --listen 127.0.0.1:8082 --peers $P",
            "  dht server --id n3 --listen 127.0.0.1:8083 --peers $P",
            "%nWith --bootstrap in place of --peers these three form a cluster whose nodes may change. A fourth one "
                    + "is added and joins:%n",
            "  dht nodes add n4 --node http://127.0.0.1:8081",
            "  dht server --id n4 --listen 127.0.0.1:8084 --join $P",
            "%nEach option may be an environment variable instead, as in DHT_REPLICATION_FACTOR, or a line of the "
                    + "file of --config. The command line wins over the environment, and the environment over the "
                    + "file.%n",
            "The other commands call the node at 127.0.0.1:8080, the address of a server without options, unless "
                    + "--node names another.%n"
        })
final class ServerCommand implements Callable<Integer> {

    /**
     * The time for closing, after the clients had theirs to leave. With the JVM's own end and the last log line it
     * stays within the promised 10 seconds.
     */
    private static final Duration CLOSING_TIME = Duration.ofSeconds(9);

    private static final String OTHERS = "This command";

    private static final Set<Setting> REPEATABLE = EnumSet.of(Setting.PUBLIC_HOST, Setting.PUBLIC_ADDRESS);

    private final Console console;
    private final CommandSpec spec;

    @Option(
            names = "--config",
            order = 100,
            paramLabel = "FILE",
            description = "Reads options from a properties file: the same names without the dashes, as in "
                    + "listen=127.0.0.1:8080.")
    private Optional<Path> config = Optional.empty();

    @Option(
            names = {"-v", "--verbose"},
            order = 101,
            description = "Logs the node's activity in addition to warnings and errors. Logs go to standard error.")
    private boolean verbose;

    @Option(
            names = "--rebuild",
            order = 102,
            description = "Moves the files of a damaged --data directory into damaged-N within it, and refills the "
                    + "node from the other replicas. Until then it refuses reads, also after a restart without this "
                    + "option. Give it once.")
    private boolean rebuild;

    private ServerCommand(Console console) {
        this.console = console;
        this.spec = CommandSpec.forAnnotatedObject(this);
        int order = 0;
        for (Setting setting : Setting.values()) {
            // An option that is off by default needs no value to turn it on.
            boolean isFlag = setting == Setting.ALLOW_PLAINTEXT;
            spec.addOption(OptionSpec.builder(setting.option())
                    .order(order++)
                    .arity(isFlag ? "0..1" : "1")
                    .fallbackValue("on")
                    // Options that may be given repeatedly.
                    .type(REPEATABLE.contains(setting) ? List.class : String.class)
                    .auxiliaryTypes(String.class)
                    .paramLabel(setting.label())
                    .description((setting.description() + " Default: " + setting.fallback() + ".").replace("%", "%%"))
                    .build());
        }
    }

    /** Returns the command with an option for each setting. */
    static CommandLine commandLine(Console console) {
        CommandLine command = new CommandLine(new ServerCommand(console).spec);
        Map<String, String> headings = new HashMap<>();
        for (Setting setting : Setting.values()) {
            headings.put(setting.option(), setting.section().heading());
        }
        headings.put("--rebuild", SettingSection.STORAGE.heading());
        List<String> sections = new ArrayList<>();
        for (SettingSection section : SettingSection.values()) {
            sections.add(section.heading());
        }
        sections.add(OTHERS);
        HelpSections.options(command, sections, option -> headings.getOrDefault(option.longestName(), OTHERS));
        return command;
    }

    @Override
    public Integer call() throws ServerStartException, InterruptedException {
        GivenSettings given;
        ServerConfig settings;
        try {
            given = settings();
        } catch (ConfigException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        try {
            settings = ServerConfig.of(given.texts());
            settings.refuseUnwantedPlaintext();
            return run(settings, given.texts().containsKey(Setting.DATA));
        } catch (ConfigException e) {
            throw new ParameterException(spec.commandLine(), given.explain(String.valueOf(e.getMessage())), e);
        } catch (ServerStartException e) {
            throw e.inWords(given::explain);
        }
    }

    private int run(ServerConfig settings, boolean isDataGiven)
            throws ConfigException, ServerStartException, InterruptedException {
        if (verbose) {
            Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
            root.setLevel(Level.INFO);
        }
        try (Lifetime lifetime = Lifetime.begin(settings.clients().shutdownDelay(), CLOSING_TIME)) {
            // Computed before the start, shown after it.
            Optional<String> notice = settings.store().notice(isDataGiven);
            if (rebuild) {
                console.report("dht server: " + ServerNode.rebuild(settings));
            }
            ServerNode node = ServerNode.start(settings, watch(lifetime));
            try {
                ReadyLine ready = new ReadyLine(console);
                CompletionStage<String> failure = node.failure();
                // No step that may fail or block comes first: from here on the time to close is bounded.
                failure.thenRun(() -> {
                    if (node.isRemoved()) {
                        lifetime.end();
                    } else {
                        lifetime.fail();
                    }
                    ready.withhold();
                });
                notice.ifPresent(line -> console.report("dht server: " + line));
                ready.show(node.summary());
                lifetime.endWith(ThreadWatch.running());
                lifetime.awaitStop();
                if (!lifetime.isEnding()) {
                    node.awaitClientsToLeave();
                }
                close(node, failure.toCompletableFuture(), lifetime);
            } catch (Error e) {
                // The rest of the node would keep the process alive, and perhaps the port open.
                lifetime.halt();
            }
            return lifetime.status();
        }
    }

    private StartWatch watch(Lifetime lifetime) {
        return new StartWatch() {
            @Override
            public void waits(String what) {
                console.report("dht server: " + what);
            }

            @Override
            public boolean isStopAsked() {
                return lifetime.isStopAsked();
            }
        };
    }

    private void close(ServerNode node, CompletableFuture<String> failed, Lifetime lifetime) {
        try (node) {
            if (node.isRemoved() && failed.isDone()) {
                console.report("dht server: this node was removed from the cluster and ends: " + failed.join());
            } else if (lifetime.hasFailed()) {
                console.report("dht server: this node can no longer serve and ends: "
                        + failed.getNow("a thread that watches it has ended, most likely for lack of memory"));
            }
        } catch (RuntimeException e) {
            console.report("dht server: not closed in order: " + e.getMessage());
            lifetime.failed();
        }
    }

    /** Collects the settings: the command line wins over the environment, and the environment over the file. */
    private GivenSettings settings() throws ConfigException {
        ServerVariables variables =
                ServerVariables.of(console.environment(), warning -> console.report("dht server: warning: " + warning));
        verbose |= variables.verbose();
        GivenSettings settings = GivenSettings.none();
        Optional<Path> file = config.or(variables::config);
        if (file.isPresent()) {
            settings = settings.overriddenBy(read(file.get()), setting -> String.valueOf(file.get()));
        }
        Map<Setting, String> options = new EnumMap<>(Setting.class);
        CommandLine.ParseResult given = spec.commandLine().getParseResult();
        for (Setting setting : Setting.values()) {
            if (given.hasMatchedOption(setting.option())) {
                OptionSpec option = given.matchedOption(setting.option());
                options.put(
                        setting, option.isMultiValue() ? String.join(",", option.stringValues()) : option.getValue());
            }
        }
        return settings.overriddenBy(variables.settings(), Setting::variable).overriddenByOptions(options);
    }

    private Map<Setting, String> read(Path file) throws ConfigException {
        try {
            return ServerConfig.read(file);
        } catch (ConfigException e) {
            throw config.isPresent()
                    ? e
                    : new ConfigException(e.getMessage() + " (--config was read from " + ServerVariables.CONFIG + ")");
        }
    }
}
