package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks members for their reports, and keeps the newest report of each one until it does not answer. A report stays true
 * while the member is the same incarnation; answers of other incarnations are ignored. Safe for use by any number of
 * threads; does not block.
 */
final class MemberWatch {

    private final Function<Member, CompletableFuture<Reported>> asking;
    private final LongSupplier nanoTime;

    // Guarded by this.
    private final Map<Integer, Reported> reports = new HashMap<>();
    private final Map<Integer, Long> silentSince = new HashMap<>();
    private final Set<Integer> underWay = new HashSet<>();
    /** Answers to questions of an earlier leadership are ignored. */
    private int generation;

    /**
     * Creates a watch that has asked no member.
     *
     * @param asking asks a member
     * @param nanoTime the monotonic time
     */
    MemberWatch(Function<Member, CompletableFuture<Reported>> asking, LongSupplier nanoTime) {
        this.asking = asking;
        this.nanoTime = nanoTime;
    }

    /**
     * Asks members.
     *
     * @return completes when all of them but those known as silent have answered, or do not answer; never fails
     */
    CompletableFuture<Void> ask(Collection<Member> members) {
        List<CompletableFuture<Void>> awaited = new ArrayList<>();
        for (Member member : members) {
            boolean isSilent;
            int asked;
            synchronized (this) {
                if (!underWay.add(member.number())) {
                    continue;
                }
                isSilent = silentSince.containsKey(member.number());
                asked = generation;
            }
            long sentNanos = nanoTime.getAsLong();
            CompletableFuture<Void> answered = ask(member).handle((report, error) -> {
                answered(member, asked, sentNanos, error == null ? report : null);
                return null;
            });
            if (!isSilent) {
                awaited.add(answered);
            }
        }
        return CompletableFuture.allOf(awaited.toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Reported> ask(Member member) {
        try {
            return asking.apply(member);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private synchronized void answered(Member member, int asked, long sentNanos, @Nullable Reported report) {
        if (asked != generation) {
            return;
        }
        underWay.remove(member.number());
        if (report != null && member.is(report.incarnation())) {
            reports.put(member.number(), report);
            silentSince.remove(member.number());
        } else {
            reports.remove(member.number());
            silentSince.putIfAbsent(member.number(), sentNanos);
        }
    }

    synchronized Map<Integer, Reported> reports() {
        return Map.copyOf(reports);
    }

    /** Returns how long members have been silent, for those that are. */
    synchronized Map<Integer, Duration> silences() {
        long now = nanoTime.getAsLong();
        Map<Integer, Duration> result = new HashMap<>();
        silentSince.forEach((member, since) -> result.put(member, Duration.ofNanos(now - since)));
        return result;
    }

    /** Forgets members that are no longer present. */
    synchronized void retain(ClusterState state) {
        reports.keySet().removeIf(number -> isGone(state, number));
        silentSince.keySet().removeIf(number -> isGone(state, number));
    }

    private static boolean isGone(ClusterState state, int number) {
        return !state.members().has(number)
                || !state.members().get(number).lifecycle().isPresent();
    }

    /** Forgets everything. */
    synchronized void reset() {
        generation++;
        reports.clear();
        silentSince.clear();
        underWay.clear();
    }
}
