package io.dht4j.transport.http.internal.api;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.ScanScope;
import io.dht4j.security.Scope;
import io.dht4j.security.TokenGuard;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import io.dht4j.transport.common.options.PublicApiOptions.Patience;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.common.HttpText;
import io.dht4j.transport.http.internal.server.HttpListener;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The front of the public HTTP API: checks the token, finds the resource, checks the method, and passes the request on.
 * Does not block. Safe for use by any number of event loops.
 */
public final class ApiHandler implements HttpListener.Api {

    private static final int NO_CONTENT = 204;

    private final Vertx vertx;
    private final HttpListener listener;
    private final Limits limits;
    private final Patience patience;
    private final RequestAdmission admission;
    private final TokenGuard guard;
    private final ClusterCalls calls;
    private final AtomicCalls atomics;
    private final MembershipCalls membership;
    private final ProbesEndpoint probes;
    private final MetricsEndpoint metrics;
    private final ConsoleFiles console;

    public ApiHandler(
            HttpListener listener,
            Cluster cluster,
            Limits limits,
            Patience patience,
            RequestAdmission admission,
            TokenGuard guard,
            ProbesEndpoint probes,
            MetricsEndpoint metrics) {
        this.listener = listener;
        this.vertx = listener.vertx();
        this.limits = limits;
        this.patience = patience;
        this.admission = admission;
        this.guard = guard;
        this.calls = new ClusterCalls(cluster);
        this.atomics = new AtomicCalls(cluster);
        this.membership = new MembershipCalls(cluster);
        this.probes = probes;
        this.metrics = metrics;
        this.console = new ConsoleFiles(vertx);
    }

    @Override
    public boolean hasTokens() {
        return guard.hasTokens();
    }

    @Override
    public void refuse(HttpServerRequest request, HttpProblem problem) {
        take(request, exchange -> exchange.answer(problem));
    }

    @Override
    public void handle(HttpServerRequest request) {
        take(request, this::route);
    }

    private void take(HttpServerRequest request, Consumer<ApiExchange> next) {
        ApiExchange exchange = new ApiExchange(request, vertx, limits, patience, admission, listener.connections());
        if (admission.isStopping()) {
            listener.connections().answerLast(request);
        }
        if (request.response().writeQueueFull()) {
            // A client that sends requests without reading the answers waits, and its next requests with it.
            request.pause();
            exchange.startTimer(patience.writeTimeout(), exchange::cut);
            request.response().drainHandler(drained -> {
                request.response().drainHandler(null);
                exchange.stopTimer();
                next.accept(exchange);
                request.resume();
            });
            return;
        }
        next.accept(exchange);
    }

    private void route(ApiExchange exchange) {
        try {
            String path = Objects.requireNonNullElse(exchange.request().path(), "");
            if (ApiProtocol.isProbe(path)) {
                probe(exchange, path.equals(ApiProtocol.LIVEZ));
                return;
            }
            Optional<HttpProblem> unsupported = UnsupportedSemantics.refusal(exchange.request());
            if (unsupported.isPresent()) {
                if (exchange.request().headers().contains(HttpHeaders.CONTENT_ENCODING)
                        && unsupported.get().status() == UnsupportedSemantics.UNSUPPORTED_MEDIA_TYPE) {
                    exchange.response().putHeader(HttpHeaders.ACCEPT_ENCODING, HttpHeaders.IDENTITY);
                }
                exchange.answer(unsupported.get());
                return;
            }
            admission.requireServing();
            if (ConsoleFiles.serves(path)) {
                console(exchange);
                return;
            }
            switch (path) {
                case ApiProtocol.ENTITY -> entity(exchange);
                case ApiProtocol.ENTITIES -> entities(exchange);
                case ApiProtocol.BATCH_GET -> batchGet(exchange);
                case ApiProtocol.BATCH_PUT -> batchPut(exchange);
                case ApiProtocol.ATOMIC -> atomic(exchange);
                case ApiProtocol.ATOMIC_ADD -> changeAtomic(exchange, atomics::add);
                case ApiProtocol.ATOMIC_SET -> changeAtomic(exchange, atomics::set);
                case ApiProtocol.ATOMIC_TOUCH -> changeAtomic(exchange, atomics::touch);
                case ApiProtocol.SNAPSHOTS -> snapshots(exchange);
                case ApiProtocol.PLACEMENT -> read(exchange, calls::locate);
                case ApiProtocol.PARTITIONS -> read(exchange, calls::partitions);
                case ApiProtocol.STATUS -> status(exchange);
                case ApiProtocol.REPAIR -> repair(exchange);
                case ApiProtocol.SLOW_CALLS -> read(exchange, calls::slowCalls);
                case ApiProtocol.HOT_KEYS -> read(exchange, calls::hotKeys);
                case ApiProtocol.REPLICAS -> read(exchange, calls::replicas);
                case ApiProtocol.METRICS -> metrics(exchange);
                case ApiProtocol.NODES -> administered(exchange, membership::status, membership::changeNodes);
                case ApiProtocol.REBALANCE -> administered(exchange, membership::plan, membership::changeRebalance);
                case "*" -> refuseMethod(exchange, "GET, PUT, POST, DELETE");
                default -> {
                    guard.requireAny(exchange.authorization());
                    throw new InvalidRequestException(
                            ErrorCode.UNKNOWN_RESOURCE,
                            "no resource \"" + HttpText.shown(path) + "\"; there are "
                                    + String.join(
                                            ", ",
                                            ApiProtocol.ENTITY,
                                            ApiProtocol.ENTITIES,
                                            ApiProtocol.BATCH_GET,
                                            ApiProtocol.BATCH_PUT,
                                            ApiProtocol.ATOMIC,
                                            ApiProtocol.ATOMIC_ADD,
                                            ApiProtocol.ATOMIC_SET,
                                            ApiProtocol.ATOMIC_TOUCH,
                                            ApiProtocol.SNAPSHOTS,
                                            ApiProtocol.PLACEMENT,
                                            ApiProtocol.PARTITIONS,
                                            ApiProtocol.STATUS,
                                            ApiProtocol.REPAIR,
                                            ApiProtocol.NODES,
                                            ApiProtocol.REBALANCE,
                                            ApiProtocol.SLOW_CALLS,
                                            ApiProtocol.HOT_KEYS,
                                            ApiProtocol.REPLICAS,
                                            ApiProtocol.METRICS,
                                            ApiProtocol.LIVEZ,
                                            ApiProtocol.READYZ,
                                            ApiProtocol.CONSOLE));
                }
            }
        } catch (RuntimeException | Error e) {
            exchange.fail(e);
        }
    }

    /** Answers a monitor of the process, which has no token and does not know the node's name. */
    private void probe(ApiExchange exchange, boolean asksForLife) {
        if (!method(exchange).equals("GET")) {
            answerMethod(exchange, "GET");
            return;
        }
        requireNoBody(exchange);
        if (asksForLife) {
            probes.live(exchange);
        } else {
            probes.ready(exchange);
        }
    }

    /** Answers with the console, which holds no data and so needs no token: it asks for one. */
    private void console(ApiExchange exchange) {
        if (!method(exchange).equals("GET")) {
            answerMethod(exchange, "GET");
            return;
        }
        requireNoBody(exchange);
        console.answer(exchange);
    }

    private void entity(ApiExchange exchange) {
        switch (method(exchange)) {
            case "GET" -> {
                exchange.require(guard, Scope.READ);
                requireNoBody(exchange);
                calls.get(exchange);
            }
            case "PUT" -> {
                exchange.require(guard, Scope.WRITE);
                calls.put(exchange);
            }
            case "DELETE" -> {
                exchange.require(guard, Scope.WRITE);
                requireNoBody(exchange);
                calls.delete(exchange);
            }
            default -> refuseMethod(exchange, "GET, PUT, DELETE");
        }
    }

    private void atomic(ApiExchange exchange) {
        switch (method(exchange)) {
            case "GET" -> {
                exchange.require(guard, Scope.READ);
                requireNoBody(exchange);
                atomics.get(exchange);
            }
            case "PUT" -> {
                exchange.require(guard, Scope.WRITE);
                atomics.put(exchange);
            }
            case "DELETE" -> {
                exchange.require(guard, Scope.WRITE);
                requireNoBody(exchange);
                atomics.delete(exchange);
            }
            default -> refuseMethod(exchange, "GET, PUT, DELETE");
        }
    }

    private void changeAtomic(ApiExchange exchange, Consumer<ApiExchange> change) {
        if (isAllowed(exchange, "POST")) {
            exchange.require(guard, Scope.WRITE);
            requireNoAnnouncedBody(exchange);
            change.accept(exchange);
        }
    }

    private void entities(ApiExchange exchange) {
        if (isAllowed(exchange, "GET")) {
            exchange.require(guard, Scope.READ);
            requireNoBody(exchange);
            calls.scan(exchange, scope -> {
                if (scope == ScanScope.NODE) {
                    exchange.require(guard, Scope.ADMIN);
                }
            });
        }
    }

    private void batchGet(ApiExchange exchange) {
        if (isAllowed(exchange, "POST")) {
            exchange.require(guard, Scope.READ);
            calls.getAll(exchange);
        }
    }

    private void batchPut(ApiExchange exchange) {
        if (isAllowed(exchange, "POST")) {
            exchange.require(guard, Scope.WRITE);
            calls.putAll(exchange);
        }
    }

    /**
     * Handles snapshots. They cost every node memory, so that beginning one needs a scope of its own; reading one needs
     * that of scans.
     */
    private void snapshots(ApiExchange exchange) {
        switch (method(exchange)) {
            case "POST" -> {
                exchange.require(guard, Scope.ADMIN);
                requireNoAnnouncedBody(exchange);
                calls.openSnapshot(exchange);
            }
            case "DELETE" -> {
                exchange.require(guard, Scope.ADMIN);
                requireNoBody(exchange);
                calls.closeSnapshot(exchange);
            }
            default -> refuseMethod(exchange, "POST, DELETE");
        }
    }

    private void read(ApiExchange exchange, Consumer<ApiExchange> answer) {
        if (isAllowed(exchange, "GET")) {
            exchange.require(guard, Scope.READ);
            requireNoBody(exchange);
            answer.accept(exchange);
        }
    }

    private void status(ApiExchange exchange) {
        if (isAllowed(exchange, "GET")) {
            guard.requireAny(exchange.authorization());
            requireNoBody(exchange);
            calls.status(exchange);
        }
    }

    private void metrics(ApiExchange exchange) {
        if (isAllowed(exchange, "GET")) {
            guard.requireAny(exchange.authorization());
            requireNoBody(exchange);
            metrics.answer(exchange);
        }
    }

    private void repair(ApiExchange exchange) {
        switch (method(exchange)) {
            case "GET" -> {
                guard.requireAny(exchange.authorization());
                requireNoBody(exchange);
                calls.repairStatus(exchange);
            }
            case "POST" -> {
                exchange.require(guard, Scope.ADMIN);
                requireNoAnnouncedBody(exchange);
                calls.repair(exchange);
            }
            default -> refuseMethod(exchange, "GET, POST");
        }
    }

    private void administered(ApiExchange exchange, Consumer<ApiExchange> show, Consumer<ApiExchange> change) {
        switch (method(exchange)) {
            case "GET" -> {
                exchange.require(guard, Scope.ADMIN);
                requireNoBody(exchange);
                show.accept(exchange);
            }
            case "POST" -> {
                exchange.require(guard, Scope.ADMIN);
                requireNoAnnouncedBody(exchange);
                change.accept(exchange);
            }
            default -> refuseMethod(exchange, "GET, POST");
        }
    }

    private boolean isAllowed(ApiExchange exchange, String method) {
        if (method(exchange).equals(method)) {
            return true;
        }
        refuseMethod(exchange, method);
        return false;
    }

    private void refuseMethod(ApiExchange exchange, String allowed) {
        guard.requireAny(exchange.authorization());
        answerMethod(exchange, allowed);
    }

    /** Returns the name of a request's method: that of GET for HEAD, whose answer only lacks the body. */
    private static String method(ApiExchange exchange) {
        return exchange.isHead() ? "GET" : exchange.request().method().name();
    }

    /**
     * Answers a method that a resource does not have, and OPTIONS.
     *
     * @param methods the methods of the resource, without HEAD and OPTIONS
     */
    private static void answerMethod(ApiExchange exchange, String methods) {
        String allowed = methods.replace("GET", "GET, HEAD") + ", OPTIONS";
        exchange.response().putHeader(HttpHeaders.ALLOW, allowed);
        if (exchange.request().method().equals(HttpMethod.OPTIONS)) {
            requireNoBody(exchange);
            exchange.answer(NO_CONTENT);
            return;
        }
        exchange.answer(HttpProblem.of(
                ErrorCode.METHOD_NOT_ALLOWED,
                HttpText.shown(exchange.request().method().name()) + " is not allowed here; allowed: " + allowed));
    }

    /**
     * Refuses an announced body. Over HTTP/2 it is still unknown whether a body comes to a request that may have one:
     * if it does, it is dropped.
     */
    private static void requireNoAnnouncedBody(ApiExchange exchange) {
        if (!exchange.isHttp2() || exchange.body().length() > 0) {
            requireNoBody(exchange);
        }
    }

    private static void requireNoBody(ApiExchange exchange) {
        if (exchange.body().exists()) {
            throw new InvalidRequestException(ErrorCode.BAD_REQUEST, "this request takes no body");
        }
    }
}
