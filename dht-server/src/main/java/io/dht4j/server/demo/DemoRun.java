package io.dht4j.server.demo;

import io.dht4j.server.Lifetime;
import io.dht4j.server.ServerStartException;
import io.dht4j.server.config.TransportChoice.Protocol;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Provides a {@link Demo} with ports and a directory, and cleans up afterwards. For one thread. */
public final class DemoRun {

    /** The number of the demo's nodes. */
    public static final int NODES = DemoNodes.MOST;

    /**
     * The lowest port. It is below the ports that systems give to outgoing connections: a node's first call must not
     * take the port of the next node.
     */
    private static final int LEAST_PORT = 12_000;

    private static final int GREATEST_PORT = 32_000 - NODES;
    private static final int TRIES = 1_000;

    private final PrintStream out;
    private final boolean inColour;
    private final OptionalInt firstPort;
    private final Protocol transport;
    private final Lifetime lifetime;

    /**
     * Creates a run.
     *
     * @param out where the demo writes
     * @param inColour whether to use a terminal's colours
     * @param firstPort the first node's port, the others follow; empty for any free ones
     * @param transport the protocol between the nodes; those without the public API use additional free ports
     * @param lifetime reports when to stop
     */
    public DemoRun(PrintStream out, boolean inColour, OptionalInt firstPort, Protocol transport, Lifetime lifetime) {
        this.out = out;
        this.inColour = inColour;
        this.firstPort = firstPort;
        this.transport = transport;
        this.lifetime = lifetime;
    }

    /**
     * Runs the tour, and serves until the lifetime ends. Blocks.
     *
     * @param exit whether to end after the tour
     * @throws IOException if the temporary directory cannot be made or deleted
     * @throws ServerStartException if a node cannot start
     * @throws InterruptedException if the thread was interrupted
     */
    public void run(boolean exit) throws IOException, ServerStartException, InterruptedException {
        List<Integer> ports = firstPort.isPresent() ? portsFrom(firstPort.getAsInt()) : freePorts(List.of());
        List<Integer> peerPorts = transport == Protocol.HTTP ? ports : freePorts(ports);
        DemoNodes.Network network = new DemoNodes.Network(transport, ports, peerPorts);
        Path directory = Files.createTempDirectory("dht4j-demo-");
        try (DemoNodes nodes = new DemoNodes(directory, network)) {
            Demo demo = new Demo(new Page(out, inColour), nodes, UnicodeNames.all(), lifetime::isStopAsked);
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

    /** Returns free ports in a row that are not among others. */
    private static List<Integer> freePorts(List<Integer> others) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            List<Integer> ports = portsFrom(ThreadLocalRandom.current().nextInt(LEAST_PORT, GREATEST_PORT));
            if (Collections.disjoint(ports, others) && ports.stream().allMatch(DemoRun::isFree)) {
                return ports;
            }
        }
        throw new IOException("found no " + NODES + " free ports in a row from " + LEAST_PORT + " to " + GREATEST_PORT
                + " on 127.0.0.1; choose the first with --port");
    }

    private static List<Integer> portsFrom(int first) {
        return IntStream.range(first, first + NODES).boxed().toList();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
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
