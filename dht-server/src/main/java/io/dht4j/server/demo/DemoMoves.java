package io.dht4j.server.demo;

import io.dht4j.Cluster;
import io.dht4j.MembershipChange.Rebalance;
import io.dht4j.MembershipStatus;
import io.dht4j.MembershipStatus.Member;
import io.dht4j.MembershipStatus.Move;
import io.dht4j.MembershipStatus.State;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.server.ServerStartException;
import io.dht4j.server.demo.UnicodeNames.Named;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** The part of the tour in which nodes join and leave while all serve. For one thread. */
final class DemoMoves {

    private static final NodeId JOINER = new NodeId("n4");
    private static final NodeId LEAVER = new NodeId("n2");

    /** The node that is asked for the status. It stays. */
    private static final String ASKED = "n1";

    private static final int READS_AT_A_TIME = 200;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int LONGEST_SECONDS = 300;
    private static final int DROP_SECONDS = 30;

    private final Page page;
    private final DemoNodes nodes;
    private final List<Named> characters;
    private final DemoCalls calls;
    private int reads;

    DemoMoves(Page page, DemoNodes nodes, List<Named> characters, DemoCalls calls) {
        this.page = page;
        this.nodes = nodes;
        this.characters = characters;
        this.calls = calls;
    }

    /** A fourth node joins. */
    void join() throws ServerStartException {
        page.section("A fourth node joins");
        calls.checkStop();
        long kept = entries().values().stream().mapToLong(Long::longValue).sum();
        DemoCalls.join(nodes.cluster(ASKED).membership().add(JOINER));
        nodes.start(JOINER.value(), calls.stopAsked());
        page.say(
                "%s was added (./dht nodes add %s) and has joined (--join). It owns nothing yet. Slots of",
                JOINER, JOINER);
        page.say("partitions move to it, and the reads of this demo go on at all four nodes:");
        move(
                nodes.clusters(),
                status -> status.moves().isEmpty()
                        && member(status, JOINER)
                                .filter(member -> member.state() == State.SERVING)
                                .isPresent());
        page.say("A key still has three replicas, so each node has about three quarters of the entries:");
        showEntries(kept);
    }

    /** A node leaves. */
    void leave() {
        page.section("A node leaves");
        calls.checkStop();
        long kept = entries().values().stream().mapToLong(Long::longValue).sum();
        List<Cluster> staying = nodes.running().stream()
                .filter(id -> !id.equals(LEAVER.value()))
                .map(nodes::cluster)
                .toList();
        DemoCalls.join(nodes.cluster(ASKED).membership().remove(LEAVER));
        page.say("%s is to go (./dht nodes remove %s). It serves until the others have what it has:", LEAVER, LEAVER);
        move(staying, status -> member(status, LEAVER).isEmpty());
        nodes.stop(LEAVER.value());
        page.say("%s is removed, and could be switched off at any time:", LEAVER);
        showEntries(kept);
    }

    /** Reads through nodes, and shows each move as it begins, until all is done. */
    private void move(List<Cluster> clusters, Predicate<MembershipStatus> isDone) {
        // The cluster would wait for a minute whether more nodes come or go.
        DemoCalls.join(nodes.cluster(ASKED).membership().change(Rebalance.resume()));
        long began = System.nanoTime();
        int before = reads;
        Set<Long> shown = new HashSet<>();
        MembershipStatus status =
                DemoCalls.join(nodes.cluster(ASKED).membership().status());
        while (!isDone.test(status)) {
            if (DemoCalls.secondsSince(began) > LONGEST_SECONDS) {
                throw new IllegalStateException("partitions have not moved in " + LONGEST_SECONDS + " s: " + status);
            }
            for (Move move : status.moves()) {
                if (shown.add(move.batch())) {
                    page.say(
                            "  %s→%s  %,d of %,d partitions",
                            move.from(), move.to(), move.partitions(), status.partitions());
                }
            }
            readSome(clusters);
            LockSupport.parkNanos(LOOK_NANOS);
            status = DemoCalls.join(nodes.cluster(ASKED).membership().status());
        }
        page.say("Done in %.1f s. %,d reads meanwhile: all answered.", DemoCalls.secondsSince(began), reads - before);
    }

    private void readSome(List<Cluster> clusters) {
        int first = reads % characters.size();
        List<Named> some = characters.subList(first, Math.min(characters.size(), first + READS_AT_A_TIME));
        calls.inParallel(
                some, character -> DemoCalls.read(clusters.get(character.codePoint() % clusters.size()), character));
        reads += some.size();
    }

    /** Shows how many entries each node has, once those that have given partitions have deleted their copies. */
    private void showEntries(long kept) {
        long began = System.nanoTime();
        Map<String, Long> entries = entries();
        while (entries.values().stream().mapToLong(Long::longValue).sum() != kept
                && DemoCalls.secondsSince(began) < DROP_SECONDS) {
            calls.checkStop();
            LockSupport.parkNanos(LOOK_NANOS);
            entries = entries();
        }
        entries.forEach((id, count) ->
                page.bar(id, count, kept / DemoNodes.FOUNDERS, String.format(Locale.ROOT, "%,d", count)));
    }

    private Map<String, Long> entries() {
        long began = System.nanoTime();
        Map<String, Long> entries = new TreeMap<>();
        for (String id : nodes.running()) {
            NodeStatus status = DemoCalls.join(nodes.cluster(id).operations().status());
            // A busy store does not know its number at once.
            while (!status.entriesAge().isZero() && DemoCalls.secondsSince(began) < DROP_SECONDS) {
                calls.checkStop();
                LockSupport.parkNanos(LOOK_NANOS);
                status = DemoCalls.join(nodes.cluster(id).operations().status());
            }
            entries.put(id, status.entries());
        }
        return entries;
    }

    private static Optional<Member> member(MembershipStatus status, NodeId name) {
        return status.members().stream()
                .filter(member -> member.name().equals(name))
                .findFirst();
    }
}
