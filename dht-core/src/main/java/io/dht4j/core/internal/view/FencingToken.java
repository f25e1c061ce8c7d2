package io.dht4j.core.internal.view;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The row version in a request to replicas: they serve it only if they agree with the coordinator on the replicas of
 * its partitions. See <em>fencing token</em> in M. Kleppmann, <em>Designing Data-Intensive Applications</em>, 2017.
 *
 * <p>The highest row version stands for those of all partitions that the request concerns. Within one view that is
 * safe, since a view is a consistent cut of the agreed changes. If the highest versions of two views over the same
 * partitions are equal, then both views contain the change of that version, and the later one contains no later change
 * of these partitions: so all their rows are equal. It would be unsafe across several views, so each part of a batch
 * has a token of its own.
 *
 * @param view the view of the request
 * @param rowVersion the highest row version of its partitions, 1 or more
 */
public record FencingToken(ClusterView view, long rowVersion) {

    /**
     * Returns the token of a request that concerns the partitions of two requests of one view.
     *
     * @param one the token of one; null in a static cluster, and if there is none yet
     * @param other the token of the other; null in a static cluster
     * @return the one with the higher row version
     */
    public static @Nullable FencingToken highest(@Nullable FencingToken one, @Nullable FencingToken other) {
        return one == null || (other != null && other.rowVersion > one.rowVersion) ? other : one;
    }

    /**
     * Groups the items of an operation by their views, since a request has one view.
     *
     * @param all any number of items
     * @param tokenOf returns the token of an item; null in a static cluster
     * @param <T> the items
     * @return the list itself if all are of one view, as in a static cluster
     */
    public static <T> Collection<List<T>> byView(List<T> all, Function<T, @Nullable FencingToken> tokenOf) {
        FencingToken first = all.isEmpty() ? null : tokenOf.apply(all.get(0));
        if (first == null || all.stream().allMatch(item -> isOf(first.view, tokenOf.apply(item)))) {
            return List.of(all);
        }
        Map<ClusterView, List<T>> parts = new LinkedHashMap<>();
        for (T item : all) {
            FencingToken token = requireNonNull(tokenOf.apply(item));
            parts.computeIfAbsent(token.view, view -> new ArrayList<>()).add(item);
        }
        return parts.values();
    }

    private static boolean isOf(ClusterView view, @Nullable FencingToken token) {
        return token != null && token.view.equals(view);
    }
}
