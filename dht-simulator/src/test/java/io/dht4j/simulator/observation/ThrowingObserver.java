package io.dht4j.simulator.observation;

import io.dht4j.NodeId;
import io.dht4j.spi.Observer;
import java.util.Set;

/** Throws the same exception or error, checked or not, at each report. */
final class ThrowingObserver implements Observer {

    private final Throwable thrown;

    ThrowingObserver(Throwable thrown) {
        this.thrown = thrown;
    }

    @Override
    public void callEnded(Call call, Outcome outcome, long nanos) {
        fail();
    }

    @Override
    public void requestEnded(NodeId node, Request request, Outcome outcome, long nanos) {
        fail();
    }

    @Override
    public void retain(Set<NodeId> nodes) {
        fail();
    }

    private void fail() {
        ThrowingObserver.<RuntimeException>raise(thrown);
    }

    /** Throws what the compiler would not let pass: other languages have no checked exceptions. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
