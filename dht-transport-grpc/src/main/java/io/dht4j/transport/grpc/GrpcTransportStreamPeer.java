package io.dht4j.transport.grpc;

import io.dht4j.transport.grpc.GrpcTransportChannels.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A peer that is called over streams. */
final class GrpcTransportStreamPeer implements GrpcTransportPeer {

    private final GrpcTransportBudget budget;
    private final List<GrpcTransportLane> lanes = new ArrayList<>();

    GrpcTransportStreamPeer(
            Target target, GrpcTransportLoops loops, GrpcTransportChannels channels, GrpcTransportOptions options) {
        this.budget = new GrpcTransportBudget(options);
        for (int i = 0; i < options.connectionsPerPeer(); i++) {
            lanes.add(new GrpcTransportLane(target, loops.next(), loops, channels, options, budget));
        }
    }

    @Override
    public GrpcTransportBudget budget() {
        return budget;
    }

    @Override
    public void offer(GrpcTransportCall call) {
        choose().offer(call);
    }

    /** Returns the lane on the caller's own event loop, which saves a hop; any lane if the caller is on no loop. */
    private GrpcTransportLane choose() {
        if (lanes.size() == 1) {
            return lanes.get(0);
        }
        for (GrpcTransportLane lane : lanes) {
            if (lane.isCurrent()) {
                return lane;
            }
        }
        return lanes.get(ThreadLocalRandom.current().nextInt(lanes.size()));
    }

    @Override
    public void close() {
        lanes.forEach(GrpcTransportLane::close);
    }
}
