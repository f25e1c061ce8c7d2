package io.dht4j.transport.grpc.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.PeerLane;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UnaryCallTest {

    /** As a channel that goes idle just then: the call throws, and never tells of its end. */
    private static final class Throwing extends ManagedChannel {

        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            return new ClientCall<>() {
                @Override
                public void start(Listener<A> listener, Metadata headers) {
                    throw new IllegalStateException("Resolution is pending");
                }

                @Override
                public void request(int count) {}

                @Override
                public void cancel(String message, Throwable cause) {}

                @Override
                public void halfClose() {}

                @Override
                public void sendMessage(Q message) {}
            };
        }

        @Override
        public String authority() {
            return "n1";
        }

        @Override
        public ManagedChannel shutdown() {
            return this;
        }

        @Override
        public ManagedChannel shutdownNow() {
            return this;
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }

    /** A lane to which nothing is offered. */
    private record Lane(CallBudget budget) implements PeerLane {

        @Override
        public String address() {
            return "n1";
        }

        @Override
        public void offer(PeerCall call, CallContext context) {
            throw new AssertionError("the test starts the call itself");
        }

        @Override
        public void cancelled(PeerCall call) {
            throw new AssertionError("nobody cancels the call");
        }

        @Override
        public boolean isCurrent() {
            return false;
        }

        @Override
        public void close(String why) {}
    }

    @Test
    void aCallThatCannotBeginEndsAsNotSent() {
        Lane lane = new Lane(new CallBudget(GrpcTransportOptions.callingOnly().limits()));
        byte[] frame = new byte[10];
        lane.budget().enter(frame.length);
        CallContext context = new CallContext(System::nanoTime, TimeUnit.HOURS.toNanos(1));
        long deadline = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
        PeerCall call = new PeerCall(lane, Frame.of(frame), deadline);
        new UnaryCall(call, context, PeerMethods.unaryToPeer(100)) {
            @Override
            boolean unusable(boolean again) {
                throw new AssertionError("the channel is as usable as before");
            }

            @Override
            void heard() {
                throw new AssertionError("nobody has answered");
            }

            @Override
            void silentSince(long moment) {
                throw new AssertionError("the deadline has not passed");
            }
        }.start(new Throwing());
        assertThat(call).isCompletedExceptionally();
        assertThat(call.handle((reply, failure) -> failure).join())
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.outcome()).isEqualTo(Outcome.NOT_SENT))
                .hasMessage("n1: the call could not begin: Resolution is pending");
        assertThat(lane.budget().isUnused()).isTrue();
    }
}
