package io.dht4j.server;

import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Nodes in this process, and ports for them. */
public final class TestNodes {

    private TestNodes() {}

    /** {@code n1=127.0.0.1:PORT,n2=...} */
    public static String peers(List<Integer> ports) {
        List<String> peers = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            peers.add("n" + (i + 1) + "=127.0.0.1:" + ports.get(i));
        }
        return String.join(",", peers);
    }

    /** The name of a constant in settings, {@code vertx-h2} for example. */
    public static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
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
