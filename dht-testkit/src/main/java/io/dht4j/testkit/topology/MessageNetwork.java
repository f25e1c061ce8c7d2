package io.dht4j.testkit.topology;

import io.dht4j.spi.NodeRef;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A network in virtual time that loses, repeats and delays messages as it is set to. Confined to one thread. */
final class MessageNetwork {

    private static final Duration USUAL_DELAY = Duration.ofMillis(20);

    private final VirtualEnvironment time;
    private final Set<List<NodeRef>> cuts = new HashSet<>();
    private int losses;
    private int repeats;
    private Duration longestDelay = USUAL_DELAY;

    MessageNetwork(VirtualEnvironment time) {
        this.time = time;
    }

    void set(int lossPercent, int repeatPercent, Duration delay) {
        losses = lossPercent;
        repeats = repeatPercent;
        longestDelay = delay;
    }

    void isolate(NodeRef ref, Collection<NodeRef> others) {
        for (NodeRef other : others) {
            cuts.add(List.of(ref, other));
            cuts.add(List.of(other, ref));
        }
    }

    boolean isIsolated(NodeRef ref) {
        return cuts.contains(List.of(ref, ref));
    }

    void heal() {
        cuts.clear();
        set(0, 0, USUAL_DELAY);
    }

    /** Runs deliveries of a message, if it is not lost: one, or more of a repeated one. */
    void send(NodeRef from, NodeRef to, Runnable delivery) {
        int copies = time.random().nextInt(100) < repeats ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            if (time.random().nextInt(100) >= losses) {
                long delay = 1 + time.random().nextLong(longestDelay.toNanos());
                time.schedule(
                        () -> {
                            if (!cuts.contains(List.of(from, to))) {
                                delivery.run();
                            }
                        },
                        delay);
            }
        }
    }
}
