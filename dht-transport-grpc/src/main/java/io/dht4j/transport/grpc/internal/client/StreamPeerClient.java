package io.dht4j.transport.grpc.internal.client;

import io.dht4j.transport.grpc.internal.client.PeerChannels.Target;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A peer that is called over streams. */
final class StreamPeerClient implements PeerClient {

    private final CallBudget budget;
    private final List<StreamLane> lanes = new ArrayList<>();

    StreamPeerClient(Target target, EventLoops loops, PeerChannels channels, PeerOptions options) {
        this.budget = new CallBudget(options.common().limits());
        for (int i = 0; i < options.connectionsPerPeer(); i++) {
            lanes.add(new StreamLane(target, loops.next(), loops, channels, options, budget));
        }
    }

    @Override
    public CallBudget budget() {
        return budget;
    }

    @Override
    public void offer(PeerCall call) {
        choose().offer(call);
    }

    /** Returns the lane on the caller's own event loop, which saves a hop; any lane if the caller is on no loop. */
    private StreamLane choose() {
        if (lanes.size() == 1) {
            return lanes.get(0);
        }
        for (StreamLane lane : lanes) {
            if (lane.isCurrent()) {
                return lane;
            }
        }
        return lanes.get(ThreadLocalRandom.current().nextInt(lanes.size()));
    }

    @Override
    public void close() {
        lanes.forEach(StreamLane::close);
    }
}
