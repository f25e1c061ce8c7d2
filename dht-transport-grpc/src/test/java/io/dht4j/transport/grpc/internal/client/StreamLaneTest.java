package io.dht4j.transport.grpc.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.grpc.internal.client.PeerChannels.Target;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a lane holds of calls to a peer that takes nothing. */
class StreamLaneTest {

    @Test
    void unwrittenLargeFramesAreReleasedWhenCancelled() throws Exception {
        PeerOptions options =
                new PeerOptions(GrpcTransportOptions.callingOnly().withConnectTimeout(Duration.ofMinutes(10)), true, 1);
        EventLoops loops = new EventLoops(1, "dht4j-grpc-test");
        PeerChannels channels = new PeerChannels(options);
        // It accepts connections and never speaks, so nothing is ever written.
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Loop loop = loops.next();
            CallBudget budget = new CallBudget(options.common().limits());
            Target target = Target.of(Node.of("silent", "127.0.0.1:" + silent.getLocalPort()));
            StreamLane lane = new StreamLane(target, loop, loops, channels, options, budget);
            List<CallContext> contexts = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                CallContext context = new CallContext(System::nanoTime, TimeUnit.HOURS.toNanos(1));
                byte[] frame = new byte[100_000];
                budget.enter(frame.length);
                long deadline = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
                lane.offer(new PeerCall(lane, Frame.of(frame), deadline), context);
                contexts.add(context);
            }
            assertThat(parted(loop, lane)).isEqualTo(50);

            contexts.subList(0, 49).forEach(CallContext::cancel);

            assertThat(parted(loop, lane)).isEqualTo(1);
            contexts.get(49).cancel();
            assertThat(parted(loop, lane)).isZero();
            assertThat(budget.isUnused()).isTrue();
            lane.close("closed");
        } finally {
            channels.close(System.nanoTime() + TimeUnit.SECONDS.toNanos(30));
            loops.close(Duration.ofSeconds(30));
        }
    }

    /** Asks behind everything that the loop has to do by now. */
    private static int parted(Loop loop, StreamLane lane) throws Exception {
        return loop.executor().submit(lane::parted).get(30, TimeUnit.SECONDS);
    }
}
