package io.dht4j.benchmarks.profile;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Attributes a profile's counts to the layers of a node. A stack belongs to the layer of its leaf-most frame with a
 * rule. Frames of the JDK's collections, for example, have no rule and serve their caller.
 *
 * @param counts count of each layer that occurs
 */
public record Attribution(Map<Layer, Long> counts) {

    /** Keeps an unmodifiable copy. */
    public Attribution {
        counts = Map.copyOf(counts);
    }

    /**
     * Attributes stacks.
     *
     * @param event the counted event; rules for locks do not apply to waits for locks, since all would match
     * @param stacks of the profile
     * @return the counts by layer
     */
    public static Attribution of(ProfileEvent event, CollapsedStacks stacks) {
        Map<Layer, Long> counts = new EnumMap<>(Layer.class);
        stacks.forEach((frames, count) -> counts.merge(layer(event, frames), count, Long::sum));
        return new Attribution(counts);
    }

    /**
     * Returns the stacks of one layer.
     *
     * @param event the counted event
     * @param stacks of the profile
     * @param layer of the stacks to keep
     * @return those stacks
     */
    public static CollapsedStacks only(ProfileEvent event, CollapsedStacks stacks, Layer layer) {
        Map<String, Long> kept = new LinkedHashMap<>();
        stacks.forEach((frames, count) -> {
            if (layer(event, frames) == layer) {
                kept.put(String.join(";", frames), count);
            }
        });
        return new CollapsedStacks(kept);
    }

    /**
     * Returns the share of each layer.
     *
     * @return 0 to 1 by the layer's label, in sum 1, in the order of {@link Layer}; empty if there are no counts
     */
    public Map<String, Double> shares() {
        long total = counts.values().stream().mapToLong(Long::longValue).sum();
        Map<String, Double> shares = new LinkedHashMap<>();
        for (Layer layer : Layer.values()) {
            Long count = counts.get(layer);
            if (count != null && total > 0) {
                shares.put(layer.label(), (double) count / total);
            }
        }
        return shares;
    }

    static Layer layer(ProfileEvent event, List<String> stack) {
        String thread = stack.get(0);
        if (LayerRules.PROFILER_THREADS.stream().anyMatch(thread::startsWith)) {
            return Layer.PROFILER;
        }
        if (LayerRules.JVM_THREADS.stream().anyMatch(thread::startsWith)) {
            return Layer.GC_AND_JIT;
        }
        List<StackFrame> fromLeaf = new ArrayList<>();
        for (int i = stack.size() - 1; i > 0; i--) {
            StackFrame frame = StackFrame.parse(stack.get(i));
            if (!LayerRules.isTransparent(frame)) {
                fromLeaf.add(frame);
            }
        }
        Layer strong = first(event, LayerRules.ALL, fromLeaf);
        return strong != Layer.OTHER ? strong : first(event, LayerRules.WEAK, fromLeaf);
    }

    private static Layer first(ProfileEvent event, List<LayerRule> rules, List<StackFrame> fromLeaf) {
        for (int i = 0; i < fromLeaf.size(); i++) {
            for (LayerRule rule : rules) {
                if (rule.frames().test(fromLeaf.get(i))) {
                    if (rule.layer() != Layer.LOCKS) {
                        return rule.layer();
                    }
                    if (isOfQueue(fromLeaf, i)) {
                        return Layer.EXECUTORS;
                    }
                    if (event != ProfileEvent.LOCK) {
                        return Layer.LOCKS;
                    }
                    break;
                }
            }
        }
        return Layer.OTHER;
    }

    /** Returns whether a lock of {@code java.util.concurrent} belongs to one of its queues or pools. */
    private static boolean isOfQueue(List<StackFrame> fromLeaf, int lock) {
        if (!fromLeaf.get(lock).name().startsWith(LayerRules.JUC_LOCKS)) {
            return false;
        }
        for (StackFrame frame : fromLeaf.subList(lock, fromLeaf.size())) {
            if (!frame.name().startsWith(LayerRules.JUC_LOCKS)) {
                return frame.name().startsWith("java/util/concurrent/");
            }
        }
        return false;
    }
}
