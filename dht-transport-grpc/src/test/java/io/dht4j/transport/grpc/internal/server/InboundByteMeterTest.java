package io.dht4j.transport.grpc.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.grpc.Metadata;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InboundByteMeterTest {

    @Test
    void bytesBeyondTheDeclaredLengthAreCounted() {
        InboundByteMeter arrivals = (InboundByteMeter)
                InboundByteMeter.factory().newServerStreamTracer(PeerMethods.UNARY_NAME, new Metadata());
        AtomicInteger pieces = new AtomicInteger();
        AtomicInteger over = new AtomicInteger();
        arrivals.expect(10, new InboundByteMeter.Receiver() {
            @Override
            public void arrived() {
                pieces.incrementAndGet();
            }

            @Override
            public void exceeded(int bytes) {
                over.addAndGet(bytes);
            }
        });
        arrivals.inboundWireSize(8);
        assertThat(over).hasValue(0);
        arrivals.inboundWireSize(5);
        assertThat(over).hasValue(3);
        arrivals.inboundWireSize(7);
        assertThat(over).hasValue(10);
        assertThat(pieces).hasValue(3);
    }
}
