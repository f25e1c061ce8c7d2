package io.dht4j.core.internal.coordinator.config;

import io.dht4j.core.internal.view.ClusterView;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds the names of the callers whose requests a node serves: nodes and trusted members. They are gathered once for
 * each view, since a transport may ask for each frame. Safe for use by any number of threads.
 */
public final class CallerNames implements Predicate<String> {

    private final NodeComponents components;
    private volatile @Nullable Names newest;

    private record Names(ClusterView view, Set<String> all) {}

    /**
     * Creates the names of a node's callers.
     *
     * @param components the trusted members and the views of the node
     */
    public CallerNames(NodeComponents components) {
        this.components = components;
    }

    @Override
    public boolean test(String name) {
        ClusterView view = components.view();
        Names names = newest;
        if (names == null || names.view != view) {
            names = gathered(view);
            newest = names;
        }
        return names.all.contains(name);
    }

    private Names gathered(ClusterView view) {
        Set<String> all = new HashSet<>();
        view.topology().nodes().forEach(node -> all.add(node.id().value()));
        components.trusted().forEach(member -> all.add(member.value()));
        return new Names(view, all);
    }
}
