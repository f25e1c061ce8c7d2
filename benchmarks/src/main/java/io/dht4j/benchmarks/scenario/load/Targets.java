package io.dht4j.benchmarks.scenario.load;

import io.dht4j.benchmarks.load.client.ApiAccess;
import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.client.RunningCluster;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.ClientPlan;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A running cluster to load. Only keys that begin with the prefix are written, read and deleted.
 *
 * @param addresses {@code HOST:PORT} of each node's API
 * @param keyPrefix what every key begins with
 * @param cleanUp when the keys are deleted
 * @param access TLS and token
 */
public record Targets(List<String> addresses, String keyPrefix, CleanUp cleanUp, ApiAccess access) {

    private static final String TARGETS = "targets";
    private static final String KEY_PREFIX = "key-prefix";
    private static final String CLEAN_UP = "clean-up";
    private static final String NONE = ApiAccess.NONE;
    private static final String DEFAULT_PREFIX = "dht4j-bench-";

    /** When a run deletes its keys. */
    public enum CleanUp {
        /** After the run. A cluster that already has such keys is refused. */
        AFTER,
        /** After the run, and before it those of an earlier one. */
        BOTH,
        /** Never. A cluster that already has such keys is refused. */
        OFF
    }

    static List<Parameter> parameters() {
        return List.of(
                Parameter.of(
                        TARGETS,
                        "HOST:PORT of the API of each node of a running cluster, separated by commas; none for nodes "
                                + "of the run",
                        NONE),
                Parameter.of(
                        KEY_PREFIX,
                        "what every key begins with on --targets: 1 to 60 letters, digits, points, hyphens and "
                                + "underscores; no other key is touched",
                        DEFAULT_PREFIX),
                Parameter.of(
                        CLEAN_UP,
                        "when keys with that prefix are deleted on --targets: after; both, also before; or off. Unless "
                                + "both, a cluster that has such keys is refused",
                        "after"),
                Parameter.of(
                        "tls-ca",
                        "PEM file of the authorities, for TLS on --targets; jvm for the JVM's; or none",
                        NONE),
                Parameter.of("tls-cert", "PEM file of the load's own certificate, with --tls-key; or none", NONE),
                Parameter.of("tls-key", "PEM file of its private key, PKCS #8, not encrypted; or none", NONE),
                Parameter.of("token-file", "file with the token for --targets; none for $DHT_TOKEN, if set", NONE),
                Parameter.of(
                        "allow-plaintext", "whether the token may leave this machine without TLS: on or off", "off"));
    }

    /**
     * Reads the parameters.
     *
     * @return the targets; empty for nodes of the run
     * @throws IllegalArgumentException if one is invalid
     */
    static Optional<Targets> of(Settings settings) {
        String prefix = settings.text(KEY_PREFIX).strip();
        if (!prefix.matches("[A-Za-z0-9._-]{1,60}")) {
            throw new IllegalArgumentException("--key-prefix must be 1 to 60 letters, digits, points, hyphens and "
                    + "underscores, not '" + prefix + "'");
        }
        CleanUp cleanUp = switch (settings.one(CLEAN_UP, List.of("after", "both", "off"))) {
            case "after" -> CleanUp.AFTER;
            case "both" -> CleanUp.BOTH;
            default -> CleanUp.OFF;
        };
        ApiAccess access = new ApiAccess(
                settings.text("tls-ca").strip(),
                settings.text("tls-cert").strip(),
                settings.text("tls-key").strip(),
                settings.text("token-file").strip(),
                settings.one("allow-plaintext", List.of("on", "off")).equals("on"),
                false);
        String addresses = settings.text(TARGETS).strip();
        if (addresses.equals(NONE)) {
            return Optional.empty();
        }
        List<String> all =
                Arrays.stream(addresses.split(",", -1)).map(String::strip).toList();
        for (String address : all) {
            if (!isAddress(address)) {
                throw new IllegalArgumentException(
                        "--targets must be HOST:PORT with commas between, with a port of 1 to 65535, not '" + address
                                + "'");
            }
        }
        if (Set.copyOf(all).size() < all.size()) { // one node would get more of the load than the others
            throw new IllegalArgumentException("--targets must name each node only once, not '" + addresses + "'");
        }
        return Optional.of(new Targets(all, prefix, cleanUp, access));
    }

    private static boolean isAddress(String address) {
        int colon = address.lastIndexOf(':');
        if (colon < 1 || address.contains("/") || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
            return false;
        }
        int port = Integer.parseInt(address.substring(colon + 1));
        return port >= 1 && port <= 65_535;
    }

    /** Returns the client of the load. */
    ClientSpec client(ClientPlan plan) {
        return plan.spec(addresses).withKeyPrefix(keyPrefix).withAccess(access);
    }

    /**
     * Checks that all nodes answer, and that no keys are in the way. Blocks for seconds.
     *
     * @throws IllegalArgumentException if not; the message names the node or the key
     */
    void require(ClientPlan plan) {
        try (RunningCluster cluster = new RunningCluster(client(plan))) {
            cluster.requireReachable();
            Optional<String> key = cleanUp == CleanUp.BOTH ? Optional.empty() : cluster.firstKey();
            if (key.isPresent()) {
                throw new IllegalArgumentException("--targets: the cluster already has keys that begin with "
                        + keyPrefix + ", such as " + key.get()
                        + "; choose another --key-prefix, or delete them all with --clean-up both");
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("--targets: " + e.getMessage() + " (nothing was written)", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalArgumentException("--targets: stopped before the nodes answered", e);
        }
    }
}
