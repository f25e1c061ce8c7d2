package io.dht4j.examples.demo;

import io.dht4j.examples.server.Lifetime;
import io.dht4j.examples.server.ServerStartException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Gives a {@link Demo} its ports and its directory, and clears up behind it. For one thread. */
public final class DemoRun {

    /** How many nodes the demo runs. */
    public static final int NODES = Demo.NODES;

    private final PrintStream out;
    private final boolean inColour;
    private final OptionalInt firstPort;
    private final Lifetime lifetime;

    /**
     * A run.
     *
     * @param out where the demo tells what happens
     * @param inColour whether to use a terminal's colours
     * @param firstPort the first node's port, the others follow; empty for any free ones
     * @param lifetime tells when to stop
     */
    public DemoRun(PrintStream out, boolean inColour, OptionalInt firstPort, Lifetime lifetime) {
        this.out = out;
        this.inColour = inColour;
        this.firstPort = firstPort;
        this.lifetime = lifetime;
    }

    /**
     * Runs the tour, and serves until the lifetime says stop. Blocks.
     *
     * @param exit whether to end after the tour
     * @throws IOException if the temporary directory cannot be made or deleted
     * @throws ServerStartException if a node cannot start
     * @throws InterruptedException if the thread was interrupted
     */
    public void run(boolean exit) throws IOException, ServerStartException, InterruptedException {
        Path directory = Files.createTempDirectory("dht4j-demo-");
        try (Demo demo =
                new Demo(new Page(out, inColour), directory, ports(), UnicodeNames.all(), lifetime::isStopAsked)) {
            demo.run();
            if (!exit) {
                demo.showUrls();
                lifetime.awaitStop();
            }
        } catch (Demo.StoppedException e) {
            out.println("   Stopped.");
        } finally {
            delete(directory);
        }
    }

    private List<Integer> ports() throws IOException {
        List<Integer> ports = new ArrayList<>();
        if (firstPort.isPresent()) {
            for (int i = 0; i < NODES; i++) {
                ports.add(firstPort.getAsInt() + i);
            }
            return ports;
        }
        // All are held until all are known, so that the system does not give one out twice.
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int i = 0; i < NODES; i++) {
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

    private static void delete(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(directory)) {
            files = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }
}
