package io.dht4j.server.faults;

import io.dht4j.Cluster;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.server.ServerProcess;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The servers of a cluster whose nodes change, n1 and so on, in processes of their own. They tell clients their gRPC
 * addresses only, so that a client over HTTP calls one node, and its failures are those of that node. Belongs to one
 * thread.
 */
final class AgreedProcesses implements AutoCloseable {

    static final int PARTITIONS = 64;

    /** Of a call within the cluster. Who is killed resets its connections, so that nothing waits for so long. */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final RemoteOptions CLIENT_OPTIONS =
            RemoteOptions.defaults().withTimeout(Duration.ofSeconds(30)).withConnectTimeout(Duration.ofMinutes(2));

    private final Path directory;
    private final int founders;
    private final int most;
    private final List<Integer> ports;
    private final Map<String, ServerProcess> servers = new HashMap<>();
    private final Map<String, Cluster> clients = new HashMap<>();
    /** Those that were killed, too: what they said counts. */
    private final List<ServerProcess> everStarted = new ArrayList<>();

    private enum Port {
        HTTP,
        GRPC,
        PEER
    }

    /**
     * A cluster that no node has formed yet.
     *
     * @param founders how many nodes form it
     * @param most how many nodes there will be
     */
    AgreedProcesses(Path directory, int founders, int most) {
        this.directory = directory;
        this.founders = founders;
        this.most = most;
        this.ports = FreePorts.find(Port.values().length * most);
    }

    static List<String> names(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(number -> "n" + number).toList();
    }

    /** {@code 127.0.0.1:PORT} */
    private String address(String node, Port port) {
        return "127.0.0.1:" + ports.get(most * port.ordinal() + Integer.parseInt(node.substring(1)) - 1);
    }

    private String founders() {
        return String.join(
                ",",
                names(1, founders).stream()
                        .map(node -> node + "=" + address(node, Port.PEER))
                        .toList());
    }

    /** Starts the nodes that form the cluster, and waits until they serve. */
    void form() throws Exception {
        for (String node : names(1, founders)) {
            launch(node, "--bootstrap", founders(), "--partitions", String.valueOf(PARTITIONS));
        }
        for (String node : names(1, founders)) {
            servers.get(node).awaitReady();
        }
    }

    /** Starts a node with an empty directory that joins by the founders other than it, and waits until it serves. */
    void join(String node) throws Exception {
        String seeds = String.join(
                ",",
                Stream.of(founders().split(","))
                        .filter(seed -> !seed.startsWith(node + "="))
                        .toList());
        launch(node, "--join", seeds, "--peer-address", address(node, Port.PEER));
        servers.get(node).awaitReady();
    }

    /** Starts a member again, and waits until it serves. Which nodes there are is on its disk. */
    void restart(String node) throws Exception {
        launch(node, "--bootstrap", node + "=" + address(node, Port.PEER));
        servers.get(node).awaitReady();
    }

    private void launch(String node, String... membership) throws IOException {
        List<String> options = new ArrayList<>(List.of("--id", node));
        options.addAll(List.of("--listen", address(node, Port.HTTP)));
        options.addAll(List.of("--grpc-listen", address(node, Port.GRPC)));
        options.addAll(List.of("--public-address", "grpc://" + address(node, Port.GRPC)));
        options.addAll(List.of("--transport", "tcp", "--timeout", String.valueOf(TIMEOUT.toMillis())));
        options.addAll(List.of("--data", directory.resolve(node).toString()));
        if (Boolean.getBoolean("dht.faults.verbose")) {
            options.add("--verbose");
        }
        options.addAll(List.of(membership));
        ServerProcess server = ServerProcess.start(directory, options.toArray(String[]::new));
        servers.put(node, server);
        everStarted.add(server);
    }

    /** {@code kill -9}; returns when the process is gone. */
    void kill(String node) {
        servers.get(node).kill();
    }

    /** SIGSTOP, or SIGCONT. */
    void pause(String node, boolean paused) throws Exception {
        servers.get(node).signal(paused ? "STOP" : "CONT");
    }

    /** SIGTERM; returns when the process is gone. */
    int terminate(String node) throws InterruptedException {
        servers.get(node).terminate();
        return servers.get(node).exitCode();
    }

    /** Waits until a process ends by itself. */
    int exitCode(String node) throws InterruptedException {
        return servers.get(node).exitCode();
    }

    /** What a process has said on standard error. */
    String err(String node) throws IOException {
        return servers.get(node).err();
    }

    /** What all processes have said on standard error. */
    String err() throws IOException {
        StringBuilder all = new StringBuilder();
        for (ServerProcess server : everStarted) {
            all.append(server.err());
        }
        return all.toString();
    }

    /** Deletes the directory of a node that does not run. */
    void loseDisk(String node) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(directory.resolve(node))) {
            files = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }

    /** A client that calls this node only. */
    Cluster client(String node) {
        return clients.computeIfAbsent(
                node,
                name -> RemoteCluster.connect(
                        HttpRemote.create(HttpRemoteOptions.defaults()),
                        List.of(address(name, Port.HTTP)),
                        CLIENT_OPTIONS));
    }

    /** A client that is given the founders and learns of the other nodes. */
    Cluster learningClient() {
        return clients.computeIfAbsent(
                "all",
                name -> RemoteCluster.connect(
                        GrpcRemote.create(GrpcRemoteOptions.defaults()),
                        names(1, founders).stream()
                                .map(node -> address(node, Port.GRPC))
                                .toList(),
                        CLIENT_OPTIONS));
    }

    /** Runs a command of {@code ./dht} that asks a node. */
    CommandLineRun dht(String node, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--node", "http://" + address(node, Port.HTTP)));
        return CommandLineRun.of(all.toArray(String[]::new));
    }

    @Override
    public void close() {
        everStarted.forEach(ServerProcess::close);
        clients.values().forEach(Cluster::close);
    }
}
