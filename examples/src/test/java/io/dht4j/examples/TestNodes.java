package io.dht4j.examples;

import io.dht4j.examples.server.ServerConfig;
import io.dht4j.examples.server.ServerNode;
import io.dht4j.examples.server.Setting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Nodes in this process, and ports for them. */
public final class TestNodes {

    private TestNodes() {}

    /** Ports that were free a moment ago, all different. */
    public static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                held.add(socket);
                ports.add(socket.getLocalPort());
            }
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
        return ports;
    }

    /** {@code n1=127.0.0.1:PORT,n2=...} */
    public static String peers(List<Integer> ports) {
        List<String> peers = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            peers.add("n" + (i + 1) + "=127.0.0.1:" + ports.get(i));
        }
        return String.join(",", peers);
    }

    /** Ports that were free a moment ago and are none of the others. */
    public static List<Integer> freePortsBesides(List<Integer> others, int count) throws IOException {
        List<Integer> ports = new ArrayList<>(freePorts(count + others.size()));
        ports.removeAll(others);
        return List.copyOf(ports.subList(0, count));
    }

    /** A node in memory, with more settings if there are any. */
    public static ServerNode start(int number, List<Integer> ports, Map<Setting, String> more) throws Exception {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.put(Setting.ID, "n" + number);
        settings.put(Setting.LISTEN, "127.0.0.1:" + ports.get(number - 1));
        settings.put(Setting.PEERS, peers(ports));
        settings.put(Setting.STORE, "memory");
        settings.put(Setting.TIMEOUT, "20000");
        settings.putAll(more);
        return ServerNode.start(ServerConfig.of(settings));
    }
}
