package io.dht4j.server.cli;

import io.dht4j.server.ServerNode;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.StandardOutput;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Runs a server and the most frequent commands once, in silence: the JVM archives the classes that this program loads,
 * and then starts faster. The launcher of an installation calls it.
 */
public final class StartTraining {

    private StartTraining() {}

    /**
     * Runs the training and ends the process: with 0, or with another code after a failure.
     *
     * @param args an empty directory, which the caller deletes
     * @throws Exception if the server does not start
     */
    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        StandardOutput unread = new StandardOutput(OutputStream.nullOutputStream());
        Console console = new Console(InputStream.nullInputStream(), unread, unread, false, false, Map.of());
        String address = "127.0.0.1:" + freePort();
        ServerConfig config = ServerConfig.of(Map.of(Setting.LISTEN, address, Setting.DATA, args[0] + "/data"));
        int failed = 0;
        try (ServerNode node = ServerNode.start(config)) {
            for (List<String> words : List.of(
                    List.of("put", "key", "value"),
                    List.of("get", "key"),
                    List.of("delete", "key"),
                    List.of("scan"),
                    List.of("status"))) {
                List<String> command = new ArrayList<>(words);
                command.addAll(List.of("--node", "http://" + address));
                failed |= console.execute(Dht.commandLine(console), command.toArray(String[]::new));
            }
            failed |= console.execute(Dht.commandLine(console), "server", "--help");
            unread.println(node.summary());
        }
        System.exit(failed);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
