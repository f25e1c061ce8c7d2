package io.dht4j.core.internal.observation;

import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Observer;

/** Names requests as observers and tracers do. Stateless. */
public final class RequestKinds {

    private RequestKinds() {}

    /**
     * Returns the kind of a request; those about membership have a client of their own and no kind.
     *
     * @param request the request, or a part of a batch
     * @return its kind
     */
    public static Observer.Request of(Request request) {
        if (request instanceof Request.ReadKeys
                || request instanceof RegisterRequest.Prepare
                || request instanceof RegisterRequest.Read) {
            return Observer.Request.READ;
        }
        if (request instanceof Request.ApplyEntries || request instanceof RegisterRequest) {
            return Observer.Request.WRITE;
        }
        if (request instanceof Request.Ping || request instanceof Request.Features) {
            return Observer.Request.PING;
        }
        if (request instanceof RepairRequest) {
            return Observer.Request.REPAIR;
        }
        if (request instanceof Request.RefillPage) {
            return Observer.Request.REFILL;
        }
        return request instanceof Request.ScanPage || request instanceof Request.SnapshotPage
                ? Observer.Request.SCAN
                : Observer.Request.SNAPSHOT;
    }
}
