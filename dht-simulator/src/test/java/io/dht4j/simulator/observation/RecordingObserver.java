package io.dht4j.simulator.observation;

import io.dht4j.NodeId;
import io.dht4j.spi.Observer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Keeps all reports. */
public final class RecordingObserver implements Observer {

    public record EndedCall(Call call, Outcome outcome, long nanos) {}

    public record EndedRequest(NodeId node, Request request, Outcome outcome, long nanos) {}

    public final List<EndedCall> calls = new ArrayList<>();
    public final List<EndedRequest> requests = new ArrayList<>();
    public final List<Set<NodeId>> retained = new ArrayList<>();

    @Override
    public void callEnded(Call call, Outcome outcome, long nanos) {
        calls.add(new EndedCall(call, outcome, nanos));
    }

    @Override
    public void requestEnded(NodeId node, Request request, Outcome outcome, long nanos) {
        requests.add(new EndedRequest(node, request, outcome, nanos));
    }

    @Override
    public void retain(Set<NodeId> nodes) {
        retained.add(nodes);
    }

    /** Returns the outcomes of the calls since the last time, by the names of call and outcome. */
    public List<String> takeCalls() {
        List<String> taken =
                calls.stream().map(call -> call.call() + " " + call.outcome()).toList();
        calls.clear();
        return taken;
    }

    /** Returns the outcomes of the requests of a kind to a node. */
    public List<Outcome> outcomes(NodeId node, Request kind) {
        return requests.stream()
                .filter(request -> request.node().equals(node) && request.request() == kind)
                .map(EndedRequest::outcome)
                .toList();
    }
}
