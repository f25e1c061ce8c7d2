package io.dht4j.transport.grpc.internal.client;

import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.WaitingCalls;
import io.grpc.netty.shaded.io.netty.util.collection.LongObjectHashMap;
import io.grpc.netty.shaded.io.netty.util.collection.LongObjectMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holds the calls of a stream that were written at least in part, by their numbers. For the lane's event loop. */
final class SentCalls {

    private final LongObjectMap<PeerCall> byId = new LongObjectHashMap<>();
    private long lastId;

    boolean isEmpty() {
        return byId.isEmpty();
    }

    /** Gives a call its number when its first byte is written. */
    void add(PeerCall call, long now) {
        call.number(++lastId, now);
        byId.put(call.id(), call);
    }

    @Nullable
    PeerCall find(long id) {
        return byId.get(id);
    }

    boolean contains(PeerCall call) {
        return call.id() != 0 && byId.get(call.id()) == call;
    }

    /** Removes a call. Returns null if there is none of this number. */
    @Nullable
    PeerCall remove(long id) {
        return byId.remove(id);
    }

    /** Removes and returns all calls. */
    List<PeerCall> removeAll() {
        List<PeerCall> all = new ArrayList<>(byId.values());
        byId.clear();
        return all;
    }

    /**
     * Adds the calls whose deadline has passed to a list. Returns the earliest deadline of the others by
     * {@link System#nanoTime()}, and {@code latest}.
     */
    long collectDue(long now, long latest, List<PeerCall> due) {
        long earliest = latest;
        for (PeerCall call : byId.values()) {
            if (call.deadline() - now <= 0) {
                due.add(call);
            } else {
                earliest = WaitingCalls.earlier(earliest, call.deadline());
            }
        }
        return earliest;
    }
}
