package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.spi.Endpoints;
import io.dht4j.spi.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Detects lists with two nodes at one endpoint, also in different spellings. */
public final class AddressCheck {

    private static final Logger LOG = LoggerFactory.getLogger(AddressCheck.class);

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private AddressCheck() {}

    /**
     * Resolves the addresses. Blocks, for at most 5 seconds. An address that cannot be resolved is logged as a warning:
     * the node that answers there reports its name with each reply.
     *
     * @param nodes the nodes of the cluster
     * @param transport resolves addresses to endpoints
     * @throws IllegalArgumentException if two nodes have one endpoint
     */
    public static void check(List<Node> nodes, Transport transport) {
        List<Set<String>> endpoints;
        try {
            endpoints = transport.endpoints(nodes).toCompletableFuture().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.warn(
                    "the names of the nodes' hosts were not looked up within {}; they are looked up with each call",
                    TIMEOUT);
            return;
        } catch (ExecutionException e) {
            notLookedUp(e);
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the addresses of the nodes were looked up", e);
        }
        Endpoints.requireDistinct(nodes, endpoints);
        warnOfUnknown(nodes, endpoints);
    }

    /**
     * Resolves the addresses of the nodes of an agreed cluster, and logs their errors. Refuses none: addresses change,
     * and nodes are distinguished by their identities. Does not block.
     *
     * @param nodes the nodes of the cluster
     * @param transport resolves addresses to endpoints
     */
    public static void report(List<Node> nodes, Transport transport) {
        transport.endpoints(nodes).whenComplete((endpoints, error) -> {
            if (error != null) {
                notLookedUp(error);
                return;
            }
            try {
                Endpoints.requireDistinct(nodes, endpoints);
            } catch (IllegalArgumentException e) {
                LOG.error("{}: correct the address of one, or requests to it are refused", e.getMessage());
            }
            warnOfUnknown(nodes, endpoints);
        });
    }

    private static void notLookedUp(Throwable error) {
        LOG.warn(
                "the addresses of the nodes cannot be looked up: {}",
                DhtException.unwrap(error).toString());
    }

    private static void warnOfUnknown(List<Node> nodes, List<Set<String>> endpoints) {
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            if (endpoints.get(i).isEmpty()) {
                LOG.warn(
                        "the host of node {} at {} cannot be resolved; it is tried again with each call",
                        node.id(),
                        node.address());
            }
        }
    }
}
