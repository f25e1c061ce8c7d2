package io.dht4j.server.demo;

import static io.dht4j.server.demo.DemoCalls.PATIENT;
import static io.dht4j.server.demo.DemoCalls.join;
import static io.dht4j.server.demo.DemoCalls.secondsSince;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.server.ServerStartException;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.demo.UnicodeNames.Named;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A tour of a cluster: writes, reads and scans it, and continues while it loses and regains a node, and while nodes
 * join and leave. For one thread.
 */
final class Demo {

    private static final int SOME = 5_000;
    private static final int HANDOFF_SECONDS = 30;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int PROGRESS_STEP = 1_000;

    private final Page page;
    private final DemoNodes nodes;
    private final List<Named> characters;
    private final BooleanSupplier isStopAsked;
    private final DemoCalls calls;

    /** Thrown between two steps when the user has asked to stop. */
    static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /**
     * Creates a demo that has not begun.
     *
     * @param page the output
     * @param nodes the nodes, which are stopped
     * @param characters what to write; with those that the tour shows
     * @param isStopAsked whether to stop at the next opportunity
     */
    Demo(Page page, DemoNodes nodes, List<Named> characters, BooleanSupplier isStopAsked) {
        this.page = page;
        this.nodes = nodes;
        this.characters = List.copyOf(characters);
        this.isStopAsked = isStopAsked;
        this.calls = new DemoCalls(isStopAsked);
    }

    /** Runs the whole tour. At its end the nodes serve. */
    void run() throws ServerStartException {
        startNodes();
        load();
        showSpread();
        read();
        scan();
        int missed = loseNode();
        regainNode(missed);
        DemoMoves moves = new DemoMoves(page, nodes, characters, calls);
        moves.join();
        moves.leave();
    }

    private void startNodes() throws ServerStartException {
        page.section("Three nodes, one cluster");
        page.say(
                "Each node has its own store on disk and calls the others %s. Usually each runs on",
                nodes.network().inWords());
        page.say("its own machine; here all share this process. These three form the cluster (--bootstrap).");
        calls.checkStop();
        nodes.form(isStopAsked);
        for (String id : DemoNodes.founders()) {
            page.say("  %s  %s  %s", id, nodes.node(id).url(), nodes.data(id));
        }
    }

    private void load() {
        page.section("Writing every named character of Unicode");
        page.say(
                "%s -> %s, and so on: %,d entries.",
                characters.get(65).key(), characters.get(65).name(), characters.size());
        List<Cluster> clusters = nodes.clusters();
        long start = System.nanoTime();
        AtomicLong number = new AtomicLong();
        calls.inParallel(characters, character -> {
            // Any node takes any request: it asks the nodes where the key lives.
            long done = number.getAndIncrement();
            if (done % PROGRESS_STEP == 0) {
                page.passing("%,d written", done);
            }
            Cluster cluster = clusters.get((int) (done % clusters.size()));
            return BackOff.call(() ->
                    cluster.put(Key.of(character.key()), character.name().getBytes(StandardCharsets.UTF_8), PATIENT));
        });
        double seconds = secondsSince(start);
        page.say(
                "Written in %.1f s: %,.0f per second, each kept by three nodes. A write is acknowledged when two of",
                seconds, characters.size() / seconds);
        page.say("its three replicas have written it to their files, so losing any one node loses nothing.");
    }

    private void showSpread() {
        page.section("Who has what");
        Cluster cluster = nodes.cluster("n1");
        Map<NodeId, Long> first = new TreeMap<>();
        for (Node node : cluster.topology().nodes()) {
            first.put(node.id(), 0L);
        }
        long total = characters.size();
        for (Named character : characters) {
            Node owner =
                    join(cluster.locate(Key.of(character.key()))).replicas().get(0);
            first.merge(owner.id(), 1L, Long::sum);
        }
        page.say(
                "A key's hash picks one of %,d partitions, and each partition has its nodes in order.",
                cluster.operations().status().toCompletableFuture().join().partitions());
        page.say("Keys by their first replica:");
        for (Map.Entry<NodeId, Long> entry : first.entrySet()) {
            page.bar(
                    entry.getKey().value(),
                    entry.getValue(),
                    total,
                    String.format(Locale.ROOT, "%,d (%.1f%%)", entry.getValue(), 100.0 * entry.getValue() / total));
        }
        page.say("With three replicas on three nodes, each node ends up with every entry:");
        for (String id : DemoNodes.founders()) {
            long entries = join(nodes.cluster(id).operations().status()).entries();
            page.bar(id, entries, total, String.format(Locale.ROOT, "%,d", entries));
        }
    }

    private void read() {
        page.section("Reading one");
        Key key = Key.of(UnicodeNames.key(0x1F600));
        Value value =
                join(BackOff.call(() -> nodes.cluster("n2").get(key, PATIENT))).orElseThrow();
        page.say("n2, what is %s?  \"%s\"", key, value.text());
        page.say("Two replicas had to answer; the newest of their versions (%s) wins. This key's", value.version());
        page.say(
                "replicas in order: %s.",
                join(nodes.cluster("n2").locate(key)).replicas().stream()
                        .map(Node::id)
                        .toList());
    }

    private void scan() {
        page.section("Scanning a range");
        Cluster cluster = nodes.cluster("n3");
        page.say("Keys are sorted by their bytes. From U+1F400 up to U+1F409, over all nodes:");
        KeyRange range = KeyRange.between(Key.of("U+1F400"), Key.of("U+1F409"));
        List<KeyValue> found = new ArrayList<>();
        join(BackOff.call(() -> {
            found.clear();
            return cluster.scan(range, ScanScope.CLUSTER, PATIENT).forEach(found::add);
        }));
        found.forEach(entry -> page.say(
                "  %s  %s  %s", entry.key(), character(entry), entry.value().text()));
        AtomicLong count = new AtomicLong();
        long start = System.nanoTime();
        join(BackOff.call(() -> {
            count.set(0);
            return cluster.scan(KeyRange.all(), ScanScope.CLUSTER, PATIENT).forEach(entry -> count.incrementAndGet());
        }));
        double seconds = secondsSince(start);
        page.say(
                "Everything: %,d entries in %.1f s. A scan holds a few pages at a time, however long it is.",
                count.get(), seconds);
    }

    /** Returns how many writes the lost node has missed. */
    private int loseNode() {
        page.section("Losing a node");
        nodes.stop("n2");
        List<Cluster> left = nodes.clusters();
        List<Named> some = characters.subList(0, Math.min(SOME, characters.size()));
        long start = System.nanoTime();
        calls.inParallel(some, character -> DemoCalls.read(left.get(character.codePoint() % left.size()), character));
        page.say(
                "n2 is stopped. %,d reads: all answered (%,.0f per second).",
                some.size(), some.size() / secondsSince(start));
        start = System.nanoTime();
        calls.inParallel(
                some,
                character -> BackOff.call(() -> left.get(character.codePoint() % left.size())
                        .put(Key.of(missedKey(character)), new byte[] {1}, PATIENT)));
        page.say(
                "%,d writes: all acknowledged by the other two (%,.0f per second).",
                some.size(), some.size() / secondsSince(start));
        Key key = Key.of("three of three");
        long asked = System.nanoTime();
        try {
            join(nodes.cluster("n1").put(key, new byte[0], PATIENT.withPolicy(DemoNodes.FOUNDERS, DemoNodes.FOUNDERS)));
            throw new IllegalStateException("a write to three of three nodes succeeded with only two of them running");
        } catch (CompletionException e) {
            if (!(DhtException.unwrap(e) instanceof DhtException failure)) {
                throw e;
            }
            page.say(
                    "A write that insists on all three replicas fails at once (%.0f ms), and says why:",
                    secondsSince(asked) * 1000);
            page.say("  %s: %s", failure.code(), String.valueOf(failure.getMessage()));
        }
        return some.size();
    }

    private void regainNode(int missed) throws ServerStartException {
        page.section("Having it back");
        startNode("n2");
        Key key = Key.of("three of three");
        join(BackOff.call(() ->
                nodes.cluster("n1").put(key, new byte[0], PATIENT.withPolicy(DemoNodes.FOUNDERS, DemoNodes.FOUNDERS))));
        page.say("n2 runs again, with what it had on disk. The very next request used it: a write to three of three.");
        KeyRange range = KeyRange.between(Key.of("missed/"), Key.of("missed0"));
        long began = System.nanoTime();
        long there = atNode(range);
        page.say("The other two kept the %,d writes that it missed, and hand them over (hinted handoff):", missed);
        while (there < missed && secondsSince(began) < HANDOFF_SECONDS) {
            LockSupport.parkNanos(LOOK_NANOS);
            there = atNode(range);
        }
        page.say("after %.1f s its own store has %,d of them.", secondsSince(began), there);
    }

    private long atNode(KeyRange range) {
        AtomicLong count = new AtomicLong();
        try {
            join(nodes.cluster("n2").scan(range, ScanScope.NODE, PATIENT).forEach(entry -> count.incrementAndGet()));
        } catch (CompletionException e) {
            // It has just started, and may still be checking with the others whether its disk was rolled back; or it is
            // busy.
            if (!(DhtException.unwrap(e) instanceof DhtException failure)
                    || (failure.code() != ErrorCode.REPLICA_REFILLING && failure.code() != ErrorCode.OVERLOADED)) {
                throw e;
            }
            return 0;
        }
        return count.get();
    }

    /** Shows how to continue by hand. */
    void showUrls() {
        page.section("Your turn");
        String url = nodes.node("n1").url();
        page.say("The nodes serve until Ctrl-C; then their data is deleted. In a browser:");
        page.say("");
        page.say("  %s/console", url);
        page.say("");
        page.say("In another terminal:");
        page.say("");
        page.say("  curl '%s/v0/entity?id=U%%2B0041'", url);
        page.say(
                "  curl -X PUT --data-binary 'hello' '%s/v0/entity?id=greeting'",
                nodes.node("n3").url());
        page.say("  curl '%s/v0/entity?id=greeting'", url);
        page.say("  curl -H 'Accept: application/x-ndjson' '%s/v0/entities?start=U%%2B1F600&end=U%%2B1F604'", url);
        page.say("  curl '%s/v0/status'", url);
        page.say("");
        page.say("  ./dht get U+1F409 --node %s", url);
        page.say("  ./dht scan --prefix U+1F98 --node %s", url);
        page.say("  ./dht nodes --node %s", url);
    }

    private void startNode(String id) throws ServerStartException {
        calls.checkStop();
        nodes.start(id, isStopAsked);
    }

    private static String missedKey(Named character) {
        return "missed/" + character.key();
    }

    private static String character(KeyValue entry) {
        return Character.toString(Integer.parseInt(entry.key().toString().substring(2), 16));
    }
}
