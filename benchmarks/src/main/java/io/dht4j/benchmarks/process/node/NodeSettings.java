package io.dht4j.benchmarks.process.node;

import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The settings of each node of a cluster: its name, ports and directory, and the other nodes. */
final class NodeSettings {

    private NodeSettings() {}

    /** The ports of one node on loopback. */
    private record Ports(int http, int peer, int grpc) {

        static List<Ports> find(int count, boolean shared) throws IOException {
            List<Integer> free = FreePorts.find(3 * count);
            return IntStream.range(0, count)
                    .mapToObj(i ->
                            new Ports(free.get(i), shared ? free.get(i) : free.get(count + i), free.get(2 * count + i)))
                    .toList();
        }
    }

    /** Returns the name of a node by its index, from 0. */
    static String name(int index) {
        return "n" + (index + 1);
    }

    /** Over HTTP peers share the port of the public API, the server's default. */
    private static boolean sharesPort(NodesSpec spec) {
        return spec.settings().getOrDefault(Setting.TRANSPORT, "http").equals("http");
    }

    /** Returns the nodes of a new cluster, on free ports. */
    static List<NodeSpec> of(NodesSpec spec) throws IOException {
        List<Ports> ports = Ports.find(spec.count(), sharesPort(spec));
        String peers = IntStream.range(0, spec.count())
                .mapToObj(i -> name(i) + "=" + address(ports.get(i).peer()))
                .collect(Collectors.joining(","));
        List<NodeSpec> nodes = new ArrayList<>();
        for (int i = 0; i < spec.count(); i++) {
            Map<Setting, String> settings = settings(spec, name(i), ports.get(i));
            settings.put(spec.agreed() ? Setting.BOOTSTRAP : Setting.PEERS, peers);
            nodes.add(node(spec, name(i), settings));
        }
        return nodes;
    }

    /** Returns a node that joins by another one, on free ports. */
    static NodeSpec joining(NodesSpec spec, String name, String seed, String address) throws IOException {
        Ports ports = Ports.find(1, sharesPort(spec)).get(0);
        Map<Setting, String> settings = settings(spec, name, ports);
        settings.put(Setting.JOIN, seed + "=" + address);
        settings.put(Setting.PEER_ADDRESS, address(ports.peer()));
        return node(spec, name, settings);
    }

    private static Map<Setting, String> settings(NodesSpec spec, String name, Ports ports) {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.putAll(spec.settings());
        settings.put(Setting.ID, name);
        settings.put(Setting.LISTEN, address(ports.http()));
        if (!"memory".equals(spec.settings().get(Setting.STORE))) {
            settings.put(Setting.DATA, spec.directory().resolve(name).toString());
        }
        if (spec.grpcApi()) {
            settings.put(Setting.GRPC_LISTEN, address(ports.grpc()));
        }
        return settings;
    }

    private static NodeSpec node(NodesSpec spec, String name, Map<Setting, String> settings) {
        return new NodeSpec(
                settings,
                spec.heapMegabytes(),
                spec.jvmFlags(),
                Optional.of(spec.directory().resolve(name + ".log")));
    }

    private static String address(int port) {
        return "127.0.0.1:" + port;
    }
}
