package io.dht4j.server.faults;

import io.dht4j.server.ServerProcess;
import io.dht4j.server.config.TransportChoice.Protocol;
import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Three servers in processes of their own. Each reaches each other one by a {@link FaultyLink} of its own, since it is
 * given a list of peers with the addresses of its links: where keys live depends on the names of the nodes, not on
 * their addresses. Clients reach servers by links, too. Belongs to one thread.
 */
final class RealCluster implements AutoCloseable {

    static final int NODES = 3;

    private final Path directory;
    private final Protocol protocol;
    private final String store;
    private final Duration timeout;
    private final List<Integer> ports;
    private final Map<Way, FaultyLink> links = new LinkedHashMap<>();
    private final List<FaultyLink> httpLinks = new ArrayList<>();
    private final List<FaultyLink> grpcLinks = new ArrayList<>();
    private final List<ServerProcess> servers = new ArrayList<>();
    /** Of each node; empty where clocks cannot be set. */
    private final List<SkewedClock> clocks = new ArrayList<>();

    private final Set<Way> cuts = new HashSet<>();
    /** Those that were killed, too: what they said counts. */
    private final List<ServerProcess> everStarted = new ArrayList<>();

    /** From one node to another, which are numbered from 0. */
    private record Way(int from, int to) {}

    /**
     * Starts the servers and waits until they serve.
     *
     * @param timeout of a call within the cluster
     */
    RealCluster(Path directory, Protocol protocol, String store, Duration timeout, SplittableRandom random)
            throws Exception {
        this.directory = directory;
        this.protocol = protocol;
        this.store = store;
        this.timeout = timeout;
        this.ports = FreePorts.find(3 * NODES);
        Optional<Path> library = SkewedClock.compile(directory);
        for (int node = 0; library.isPresent() && node < NODES; node++) {
            clocks.add(SkewedClock.of(library.get(), directory.resolve("clock-" + name(node))));
        }
        try {
            for (int to = 0; to < NODES; to++) {
                httpLinks.add(new FaultyLink(port(to, 0), random.split()));
                grpcLinks.add(new FaultyLink(port(to, 1), random.split()));
                for (int from = 0; from < NODES; from++) {
                    if (from != to) {
                        links.put(new Way(from, to), new FaultyLink(port(to, 2), random.split()));
                    }
                }
            }
            for (int node = 0; node < NODES; node++) {
                servers.add(launch(node));
            }
            for (ServerProcess server : servers) {
                server.awaitReady();
            }
        } catch (Exception | AssertionError e) {
            close();
            throw e;
        }
    }

    private int port(int node, int which) {
        return ports.get(NODES * which + node);
    }

    static String name(int node) {
        return "n" + (node + 1);
    }

    /** Where clients reach a node's public HTTP API. */
    String httpAddress(int node) {
        return "127.0.0.1:" + httpLinks.get(node).port();
    }

    /** Where clients reach a node's public gRPC API. */
    String grpcAddress(int node) {
        return "127.0.0.1:" + grpcLinks.get(node).port();
    }

    /** {@code kill -9}; returns when the process is gone. */
    void kill(int node) {
        servers.get(node).kill();
    }

    /** Starts nodes that were killed, and waits until they serve. */
    void restart(Collection<Integer> nodes) throws Exception {
        for (int node : nodes) {
            servers.set(node, launch(node));
        }
        for (int node : nodes) {
            servers.get(node).awaitReady();
        }
    }

    /** SIGSTOP, or SIGCONT. */
    void stop(int node, boolean stopped) throws Exception {
        servers.get(node).signal(stopped ? "STOP" : "CONT");
    }

    /** Whether the clocks of nodes can be set. */
    boolean hasClocks() {
        return !clocks.isEmpty();
    }

    /** From now on a node's wall clock is ahead by so much. */
    void setClock(int node, Duration ahead) throws IOException {
        clocks.get(node).set(ahead);
    }

    /** The same weather everywhere between nodes; clients suffer from resets only. */
    void weather(FaultyLink.Weather weather) {
        links.values().forEach(link -> link.weather(weather));
        clientWeather(weather == FaultyLink.Weather.RESETS ? weather : FaultyLink.Weather.CALM);
    }

    /** The same weather everywhere between clients and nodes. */
    void clientWeather(FaultyLink.Weather weather) {
        httpLinks.forEach(link -> link.weather(weather));
        grpcLinks.forEach(link -> link.weather(weather));
    }

    /**
     * Lets no byte pass from a node to another: those of calls of the one, and those of answers to calls of the other.
     */
    void cut(int from, int to, boolean isCut) {
        Way way = new Way(from, to);
        Way back = new Way(to, from);
        if (isCut) {
            cuts.add(way);
        } else {
            cuts.remove(way);
        }
        links.get(way).cut(cuts.contains(way), cuts.contains(back));
        links.get(back).cut(cuts.contains(back), cuts.contains(way));
    }

    /** Ends the connections between two nodes. */
    void reset(int one, int other) {
        links.get(new Way(one, other)).resetAll();
        links.get(new Way(other, one)).resetAll();
    }

    /** What all servers have said on standard error. */
    String err() throws IOException {
        StringBuilder all = new StringBuilder();
        for (ServerProcess server : everStarted) {
            all.append(server.err());
        }
        return all.toString();
    }

    private ServerProcess launch(int node) throws IOException {
        List<String> peers = new ArrayList<>();
        for (int to = 0; to < NODES; to++) {
            int port = to == node ? port(to, 2) : links.get(new Way(node, to)).port();
            peers.add(name(to) + "=127.0.0.1:" + port);
        }
        List<String> options = new ArrayList<>(List.of("--id", name(node)));
        options.addAll(List.of("--listen", "127.0.0.1:" + port(node, 0)));
        options.addAll(List.of("--grpc-listen", "127.0.0.1:" + port(node, 1)));
        options.addAll(List.of("--peers", String.join(",", peers)));
        options.addAll(List.of("--transport", protocol.name().toLowerCase(Locale.ROOT)));
        if (protocol == Protocol.HTTP) {
            options.addAll(List.of("--peer-connections", "4"));
        }
        options.addAll(List.of("--timeout", String.valueOf(timeout.toMillis()), "--store", store));
        if (store.equals("mvstore")) {
            options.addAll(List.of("--data", directory.resolve(name(node)).toString()));
        }
        ServerProcess server = ServerProcess.startWith(
                clocks.isEmpty() ? Map.of() : clocks.get(node).environment(),
                directory,
                options.toArray(String[]::new));
        everStarted.add(server);
        return server;
    }

    @Override
    public void close() throws IOException {
        everStarted.forEach(ServerProcess::close);
        for (FaultyLink link : links.values()) {
            link.close();
        }
        for (FaultyLink link : httpLinks) {
            link.close();
        }
        for (FaultyLink link : grpcLinks) {
            link.close();
        }
    }
}
