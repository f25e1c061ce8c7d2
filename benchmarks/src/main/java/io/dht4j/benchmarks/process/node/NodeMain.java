package io.dht4j.benchmarks.process.node;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.MembershipChange;
import io.dht4j.NodeId;
import io.dht4j.benchmarks.load.client.LoadClients;
import io.dht4j.benchmarks.process.ChildService;
import io.dht4j.benchmarks.process.ChildService.NoArguments;
import io.dht4j.benchmarks.process.load.LoadCommands;
import io.dht4j.benchmarks.profile.CollapsedStacks;
import io.dht4j.benchmarks.profile.FlameGraphs;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.benchmarks.profile.Profiler;
import io.dht4j.benchmarks.profile.ProfilerException;
import io.dht4j.lab.internal.counters.ProcessCounters;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.server.ServerNode;
import io.dht4j.server.ServerStartException;
import io.dht4j.server.config.ConfigException;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A node in a process of its own, started by a {@link NodeProcess}: the standalone server, and its measurement from
 * within.
 */
public final class NodeMain implements AutoCloseable {

    private static final Duration ASK = Duration.ofSeconds(1);
    private static final Duration AGREEMENT = Duration.ofSeconds(50);
    private static final long ASK_AGAIN_MILLIS = 50;

    private final ProcessCounters counters = new ProcessCounters();
    private final LoadCommands load = new LoadCommands(counters::read);
    private @Nullable ServerNode node;
    private @Nullable Profiler profiler;
    private volatile boolean mayChange;

    private NodeMain() {}

    /**
     * Runs until the standard input ends.
     *
     * @param args none
     */
    public static void main(String[] args) {
        NodeMain main = new NodeMain();
        new ChildService()
                .on(NodeCommands.START, NodeCommands.Start.class, main::start)
                .on(NodeCommands.JOIN, NodeCommands.Join.class, main::join)
                .on(NodeCommands.COUNTERS, NoArguments.class, nothing -> main.counters.read())
                .on(NodeCommands.MEMBERSHIP, NoArguments.class, nothing -> main.membership())
                .on(NodeCommands.ENTRIES, NoArguments.class, nothing -> main.entries())
                .on(NodeCommands.ADMIT, NodeCommands.Admit.class, main::admit)
                .on(NodeCommands.REBALANCE, NodeCommands.Rebalance.class, main::rebalance)
                .on(NodeCommands.EMBED_LOAD, NodeCommands.EmbedLoad.class, main::embedLoad)
                .on(NodeCommands.FILL, LoadCommands.Fill.class, main.load::fill)
                .on(NodeCommands.RUN, LoadSpec.class, main.load::run)
                .on(NodeCommands.PROFILE_START, NodeCommands.ProfileStart.class, main::profileStart)
                .on(NodeCommands.PROFILE_STOP, NodeCommands.ProfileStop.class, main::profileStop)
                .run(main);
    }

    private synchronized NodeCommands.Started start(NodeCommands.Start given)
            throws ConfigException, ServerStartException {
        if (node != null) {
            throw new IllegalStateException("the node has been started already");
        }
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        given.settings()
                .forEach((name, value) -> settings.put(
                        Setting.byPropertyName(name)
                                .orElseThrow(() -> new IllegalArgumentException("unknown setting " + name)),
                        value));
        mayChange = settings.containsKey(Setting.BOOTSTRAP) || settings.containsKey(Setting.JOIN);
        ServerNode started = ServerNode.start(ServerConfig.of(settings), LabCustomizer.ofThisProcess());
        node = started;
        return new NodeCommands.Started(started.url());
    }

    private Object join(NodeCommands.Join join) throws Exception {
        Cluster cluster = node().cluster();
        int nodes = cluster.topology().size();
        if (mayChange) {
            // More of them than a key has replicas cannot answer.
            nodes = Math.min(nodes, result(cluster.operations().status()).replicationFactor());
        }
        CallOptions everyNode = CallOptions.defaults().withPolicy(nodes, nodes).withTimeout(ASK);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(join.millis());
        String reason = "";
        while (System.nanoTime() - deadline < 0) {
            try {
                cluster.get(Key.of("join"), everyNode)
                        .toCompletableFuture()
                        .get(2 * ASK.toMillis(), TimeUnit.MILLISECONDS);
                return nodes;
            } catch (ExecutionException e) {
                reason = String.valueOf(DhtException.unwrap(e).getMessage());
            } catch (TimeoutException e) {
                reason = "no answer";
            }
            TimeUnit.MILLISECONDS.sleep(ASK_AGAIN_MILLIS);
        }
        throw new IllegalStateException("not every node answers: " + reason);
    }

    private MembershipReading membership() throws Exception {
        return MembershipReading.of(result(node().cluster().membership().status()));
    }

    private Long entries() throws Exception {
        return result(node().cluster().operations().status()).entries();
    }

    private Long admit(NodeCommands.Admit admit) throws Exception {
        return result(node().cluster().membership().add(new NodeId(admit.name())));
    }

    private Long rebalance(NodeCommands.Rebalance rebalance) throws Exception {
        return result(node().cluster()
                .membership()
                .change(new MembershipChange.Rebalance(
                        Optional.of(rebalance.paused()), OptionalLong.of(rebalance.bytesPerSecond()))));
    }

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(AGREEMENT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    String.valueOf(DhtException.unwrap(e).getMessage()), e);
        }
    }

    private @Nullable Object embedLoad(NodeCommands.EmbedLoad embed) {
        LoadClient client = LoadClients.embedded(node().cluster(), embed.client());
        load.use(
                new StripedKeys(client, embed.keys(), embed.index(), embed.count()),
                embed.client().addresses());
        return null;
    }

    private synchronized ServerNode node() {
        if (node == null) {
            throw new IllegalStateException("the node has not been started");
        }
        return node;
    }

    private synchronized Profiler.Started profileStart(NodeCommands.ProfileStart start) throws ProfilerException {
        if (profiler == null) {
            profiler = Profiler.load();
        }
        return profiler.start(ProfileEvent.of(start.event()));
    }

    private synchronized @Nullable Object profileStop(NodeCommands.ProfileStop stop)
            throws ProfilerException, IOException {
        if (profiler == null) {
            throw new IllegalStateException("no profile has been started");
        }
        Path collapsed = Path.of(stop.collapsed());
        profiler.stop(collapsed);
        FlameGraphs.write(CollapsedStacks.read(collapsed), stop.title(), Path.of(stop.flameGraph()));
        return null;
    }

    @Override
    public synchronized void close() {
        load.close();
        counters.close();
        if (node != null) {
            node.close();
        }
    }
}
