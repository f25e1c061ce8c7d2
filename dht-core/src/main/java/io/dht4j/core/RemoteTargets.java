package io.dht4j.core;

import io.dht4j.PrintableText;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The nodes of a remote cluster in the order of tries. One node is preferred as long as it answers, chosen at random so
 * that clients spread; a node that has failed comes last for a while. Safe for use by any number of threads.
 */
final class RemoteTargets {

    /** How long a failed node comes last. */
    static final long PENALTY_NANOS = 1_000_000_000;

    private static final Pattern FORM =
            Pattern.compile("(?:\\[[0-9A-Fa-f:.]+(?:%[^\\s:/\\[\\]]+)?]|[^\\s:/\\[\\]]+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;
    private static final int MAX_SHOWN = 255;

    private final Environment environment;
    private final List<Target> targets;
    private volatile int preferred;

    /** A node's address and the time of its last failure. */
    final class Target {
        final String address;
        private final int index;
        private volatile boolean failed;
        private volatile long failedAt;

        private Target(String address, int index) {
            this.address = address;
            this.index = index;
        }

        private boolean isSuspect() {
            return failed && environment.nanoTime() - failedAt < PENALTY_NANOS;
        }

        void answered() {
            failed = false;
            if (targets.get(preferred).isSuspect()) {
                preferred = index;
            }
        }

        void failed() {
            failedAt = environment.nanoTime();
            failed = true;
        }
    }

    RemoteTargets(List<String> addresses, Environment environment) {
        if (addresses.isEmpty() || new HashSet<>(addresses).size() < addresses.size()) {
            throw new IllegalArgumentException("addresses must be one or more, each once, not " + addresses);
        }
        this.environment = environment;
        List<Target> made = new ArrayList<>(addresses.size());
        for (String address : addresses) {
            requireForm(address);
            made.add(new Target(address, made.size()));
        }
        this.targets = List.copyOf(made);
        this.preferred = environment.random().nextInt(made.size());
    }

    /** The API resolves the host; here only what no API can call is refused. */
    private static void requireForm(String address) {
        Matcher parts = FORM.matcher(address);
        if (!parts.matches() || Integer.parseInt(parts.group(1)) < 1 || Integer.parseInt(parts.group(1)) > MAX_PORT) {
            throw new IllegalArgumentException("an address is host:port with a port of 1 to " + MAX_PORT
                    + ", an IPv6 address in brackets, not \"" + PrintableText.of(address, MAX_SHOWN) + "\"");
        }
    }

    /** Returns all nodes in the order in which a call tries them. */
    List<Target> inOrder() {
        int first = preferred;
        List<Target> order = new ArrayList<>(targets.size());
        List<Target> suspects = new ArrayList<>(0);
        for (int i = 0; i < targets.size(); i++) {
            Target target = targets.get((first + i) % targets.size());
            (target.isSuspect() ? suspects : order).add(target);
        }
        order.addAll(suspects);
        return order;
    }
}
