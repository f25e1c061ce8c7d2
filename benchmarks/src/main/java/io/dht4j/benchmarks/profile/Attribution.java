package io.dht4j.benchmarks.profile;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Says which layer of a node a profile's counts belong to. A stack belongs to the layer of its leaf-most frame that a
 * rule knows: frames of the JDK's collections, for example, are no layer of their own but serve their caller.
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
     * @param event what was counted: where waiting for locks is, the rules for locks do not hold, or all would be
     *     theirs
     * @param stacks what was seen
     * @return the counts by layer
     */
    public static Attribution of(ProfileEvent event, CollapsedStacks stacks) {
        Map<Layer, Long> counts = new EnumMap<>(Layer.class);
        stacks.forEach((frames, count) -> counts.merge(layer(event, frames), count, Long::sum));
        return new Attribution(counts);
    }

    /**
     * The stacks of one layer, to see what is in it.
     *
     * @param event what was counted
     * @param stacks what was seen
     * @param layer which ones to keep
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
     * The share of each layer.
     *
     * @return 0 to 1 by the layer's label, together 1, in the order of {@link Layer}; empty if nothing was counted
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
        if (Rules.PROFILER_THREADS.stream().anyMatch(thread::startsWith)) {
            return Layer.PROFILER;
        }
        if (Rules.JVM_THREADS.stream().anyMatch(thread::startsWith)) {
            return Layer.GC_AND_JIT;
        }
        List<Frame> fromLeaf = new ArrayList<>();
        for (int i = stack.size() - 1; i > 0; i--) {
            Frame frame = Frame.parse(stack.get(i));
            if (!Rules.isTransparent(frame)) {
                fromLeaf.add(frame);
            }
        }
        Layer strong = first(event, Rules.ALL, fromLeaf);
        return strong != Layer.OTHER ? strong : first(event, Rules.WEAK, fromLeaf);
    }

    private static Layer first(ProfileEvent event, List<Rule> rules, List<Frame> fromLeaf) {
        for (int i = 0; i < fromLeaf.size(); i++) {
            for (Rule rule : rules) {
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

    /** Whether a lock of {@code java.util.concurrent} is one of its own queues and pools. */
    private static boolean isOfQueue(List<Frame> fromLeaf, int lock) {
        if (!fromLeaf.get(lock).name().startsWith(Rules.JUC_LOCKS)) {
            return false;
        }
        for (Frame frame : fromLeaf.subList(lock, fromLeaf.size())) {
            if (!frame.name().startsWith(Rules.JUC_LOCKS)) {
                return frame.name().startsWith("java/util/concurrent/");
            }
        }
        return false;
    }
}
