package io.dht4j.transport.http.internal.api;

import io.dht4j.OverloadedException;
import io.dht4j.transport.common.ApiAdmission;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits the requests of the HTTP API. A request whose body is still arriving has no place among those in flight.
 * Clients that send heads and no bodies therefore take no places from others. The number of awaited bodies has a bound
 * of its own; beyond it the request that has waited longest gives way. Safe for use by any number of threads.
 */
public final class RequestAdmission extends ApiAdmission<ApiExchange> {

    /** The number of awaited bodies for each place among the requests in flight. */
    private static final int AWAITED_FOR_EACH_PLACE = 4;

    private static final Logger LOG = LoggerFactory.getLogger(RequestAdmission.class);

    /** The requests with awaited bodies, and how each gives way; the one that waits longest is first. */
    private final Map<ApiExchange, Runnable> awaited = new LinkedHashMap<>();

    private final ClientErrors failedRequests = new ClientErrors(failures());

    public RequestAdmission(Limits limits) {
        super("HTTP API", limits, new RateLimitedLog(LOG::warn));
    }

    /**
     * Begins to await the body of a request in progress. If too many are awaited, the one that has waited longest gives
     * way.
     *
     * @param giveWay refuses the request; called on its event loop, once at most
     * @throws OverloadedException if there is no place for the request now, so that its body would be wasted
     */
    void awaitBody(ApiExchange exchange, Runnable giveWay) {
        if (isFull()) {
            throw noPlace();
        }
        ApiExchange longest = null;
        Runnable itsWay = null;
        synchronized (awaited) {
            awaited.put(exchange, giveWay);
            if (awaited.size() > (long) maxRequests() * AWAITED_FOR_EACH_PLACE) {
                Iterator<Map.Entry<ApiExchange, Runnable>> eldest =
                        awaited.entrySet().iterator();
                Map.Entry<ApiExchange, Runnable> first = eldest.next();
                longest = first.getKey();
                itsWay = first.getValue();
                eldest.remove();
            }
        }
        if (longest != null && itsWay != null) {
            longest.later(itsWay);
        }
    }

    /** Stops awaiting the body of a request. */
    void bodyCame(ApiExchange exchange) {
        synchronized (awaited) {
            awaited.remove(exchange);
        }
    }

    /** Returns the handling of failed requests in answers and in the log. */
    ClientErrors failedRequests() {
        return failedRequests;
    }

    /** Makes every request in progress check, on its event loop, whether its token is still valid. */
    public void recheckTokens() {
        inProgress().forEach(exchange -> exchange.later(exchange::recheckToken));
    }

    /** Closes the connections of the requests in progress. */
    public void cutAll() {
        inProgress().forEach(exchange -> exchange.later(exchange::cut));
    }
}
