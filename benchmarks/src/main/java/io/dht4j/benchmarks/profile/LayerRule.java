package io.dht4j.benchmarks.profile;

import java.util.List;
import java.util.function.Predicate;

/** The frames of a layer. */
record LayerRule(Layer layer, Predicate<StackFrame> frames) {

    static LayerRule names(Layer layer, String... beginnings) {
        List<String> prefixes = List.of(beginnings);
        return new LayerRule(layer, frame -> frame.startsWithAny(prefixes));
    }
}
