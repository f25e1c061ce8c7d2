package io.dht4j.spi;

import io.dht4j.Node;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Resolves the IP addresses and ports of nodes for transports over TCP. */
public final class Endpoints {

    private static final int MOST_THREADS = 16;

    private Endpoints() {}

    /**
     * Resolves host names in parallel, on threads that end afterwards. Does not block.
     *
     * @param nodes the nodes whose addresses to resolve
     * @return a stage that completes with the endpoints for {@link Transport#endpoints}, each as {@code IP:port}
     */
    public static CompletionStage<List<Set<String>>> lookUp(List<Node> nodes) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                MOST_THREADS, MOST_THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "dht4j-lookup");
                    thread.setDaemon(true);
                    return thread;
                });
        List<CompletableFuture<Set<String>>> lookUps = new ArrayList<>(nodes.size());
        for (Node node : nodes) {
            // Literal addresses need no thread.
            lookUps.add(
                    isLiteral(node.host())
                            ? CompletableFuture.completedFuture(lookUp(node))
                            : CompletableFuture.supplyAsync(() -> lookUp(node), threads));
        }
        threads.shutdown();
        return CompletableFuture.allOf(lookUps.toArray(CompletableFuture[]::new))
                .thenApply(all -> lookUps.stream().map(CompletableFuture::join).toList());
    }

    /**
     * Checks that no two nodes have an endpoint in common.
     *
     * @param nodes the nodes
     * @param endpoints the endpoints of each node, in the same order
     * @throws IllegalArgumentException if two nodes share an endpoint; the message names both, their addresses and the
     *     endpoint
     */
    public static void requireDistinct(List<Node> nodes, List<Set<String>> endpoints) {
        Map<String, Node> known = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            for (String endpoint : endpoints.get(i)) {
                Node other = known.putIfAbsent(endpoint, node);
                if (other != null) {
                    throw new IllegalArgumentException("nodes " + other.id() + " and " + node.id()
                            + " have the same address: " + other.address() + " and " + node.address() + " are both "
                            + endpoint);
                }
            }
        }
    }

    private static boolean isLiteral(String host) {
        return host.indexOf(':') >= 0 || host.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    }

    private static Set<String> lookUp(Node node) {
        try {
            return Stream.of(InetAddress.getAllByName(node.host()))
                    .map(address -> address.getHostAddress() + ":" + node.port())
                    .collect(Collectors.toUnmodifiableSet());
        } catch (UnknownHostException e) {
            return Set.of();
        }
    }
}
