package io.dht4j.benchmarks.profile;

import java.util.List;
import java.util.function.Predicate;

/** The frames of a layer. */
record Rule(Layer layer, Predicate<Frame> frames) {

    static Rule names(Layer layer, String... beginnings) {
        List<String> prefixes = List.of(beginnings);
        return new Rule(layer, frame -> frame.startsWithAny(prefixes));
    }
}
