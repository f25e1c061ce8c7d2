package io.dht4j.core.internal.placement;

import io.dht4j.Topology;

/** The partition's number modulo the number of nodes, and the nodes that follow in the topology's order. */
record Modulo(int nodes) implements Preferences {

    Modulo(Topology topology) {
        this(topology.size());
    }

    @Override
    public int[] first(int partition, int count) {
        int[] found = new int[count];
        for (int i = 0; i < count; i++) {
            found[i] = (int) (((long) partition + i) % nodes);
        }
        return found;
    }
}
