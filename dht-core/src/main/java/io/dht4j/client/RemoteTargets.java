package io.dht4j.client;

import io.dht4j.PrintableText;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The nodes of a remote cluster in the order of tries. One node is preferred as long as it answers, chosen at random so
 * that clients spread; a node that has failed, or is about to stop, comes last for a while. Safe for use by any number
 * of threads.
 */
final class RemoteTargets {

    /** How long a failed node comes last. */
    static final long PENALTY_NANOS = 1_000_000_000;

    /** How long a node comes last after an answer that says that it is about to stop. It may be started again then. */
    static final long STOPPING_NANOS = 10_000_000_000L;

    private static final Pattern FORM =
            Pattern.compile("(?:\\[[0-9A-Fa-f:.]+(?:%[^\\s:/\\[\\]]+)?]|[^\\s:/\\[\\]]+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;
    private static final int MAX_SHOWN = 255;

    /** The most learned addresses. More would only lengthen the list of each call. */
    private static final int MOST_LEARNED = 32;

    private final Environment environment;
    private final List<Target> seeds;
    private volatile List<Target> targets;
    private volatile Target preferred;

    /** A node's address, and when it failed or said that it is about to stop. */
    final class Target {
        final String address;
        private volatile boolean failed;
        private volatile long failedAt;
        private volatile boolean stopping;
        private volatile long stoppingAt;

        private Target(String address) {
            this.address = address;
        }

        private boolean isSuspect() {
            return (failed && environment.nanoTime() - failedAt < PENALTY_NANOS)
                    || (stopping && environment.nanoTime() - stoppingAt < STOPPING_NANOS);
        }

        void answered() {
            failed = false;
            if (!isSuspect() && preferred.isSuspect()) {
                preferred = this;
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
            made.add(new Target(address));
        }
        this.seeds = List.copyOf(made);
        this.targets = seeds;
        this.preferred = seeds.get(environment.random().nextInt(made.size()));
    }

    /**
     * Lets a node come last for a while, and another one be preferred as soon as it answers.
     *
     * @param address the node that is about to stop; ignored if it is unknown
     */
    void stopping(String address) {
        for (Target target : targets) {
            if (target.address.equals(address)) {
                target.stoppingAt = environment.nanoTime();
                target.stopping = true;
            }
        }
    }

    /**
     * Replaces what was learned before. The addresses that were given at the start stay.
     *
     * @param addresses where nodes are now; malformed ones and those over the bound are left out
     */
    synchronized void learn(Collection<String> addresses) {
        Map<String, Target> known = new LinkedHashMap<>();
        targets.forEach(target -> known.put(target.address, target));
        Map<String, Target> next = new LinkedHashMap<>();
        seeds.forEach(seed -> next.put(seed.address, seed));
        for (String address : addresses) {
            if (next.size() < seeds.size() + MOST_LEARNED && isOfForm(address)) {
                next.putIfAbsent(address, known.getOrDefault(address, new Target(address)));
            }
        }
        targets = List.copyOf(next.values());
        if (!next.containsKey(preferred.address)) {
            preferred = seeds.get(0);
        }
    }

    private static boolean isOfForm(String address) {
        try {
            requireForm(address);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
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
        List<Target> all = targets;
        int first = Math.max(0, all.indexOf(preferred));
        List<Target> order = new ArrayList<>(all.size());
        List<Target> suspects = new ArrayList<>(0);
        for (int i = 0; i < all.size(); i++) {
            Target target = all.get((first + i) % all.size());
            (target.isSuspect() ? suspects : order).add(target);
        }
        order.addAll(suspects);
        return order;
    }
}
