package io.dht4j.transport.http.internal.api;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.common.HttpText;
import io.dht4j.transport.http.internal.netty.IpLiterals;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that a foreign page may make somebody's browser send, where no token guards the API. A page of
 * another origin can send requests; their {@code Origin} reveals it. A page whose own name was made to lead here (DNS
 * rebinding) can also read the answers, but its {@code Host} is that name. Safe for use by any number of event loops.
 */
public final class HttpApiBrowsers {

    private static final String LOCALHOST = "localhost";
    private static final String SCHEME_END = "://";

    private final boolean guarded;
    private final Set<String> hosts;
    private final CompletableFuture<Set<String>> ownNames;

    /**
     * Creates a guard.
     *
     * @param hasTokens whether tokens guard the API
     * @param publicHosts by which names clients reach the node
     * @param listenHost the host of the API's listener, another such name
     */
    public HttpApiBrowsers(boolean hasTokens, Collection<String> publicHosts, String listenHost) {
        this.guarded = !hasTokens;
        this.ownNames = guarded ? OwnNames.ask() : CompletableFuture.completedFuture(Set.of());
        this.hosts = new HashSet<>(publicHosts);
        hosts.add(normal(listenHost));
    }

    /**
     * Checks a name or an address of a node.
     *
     * @return in its usual form
     * @throws IllegalArgumentException if it is something else
     */
    public static String requireHost(String host) {
        String normal = normal(host.strip());
        HostAndPort parsed = HostAndPort.parseAuthority(normal.indexOf(':') < 0 ? normal : "[" + normal + "]", -1);
        if (normal.isEmpty() || parsed == null || parsed.port() >= 0) {
            throw new IllegalArgumentException(
                    "publicHost must be a name or an address, without a port, not \"" + HttpText.shown(host) + "\"");
        }
        return normal;
    }

    /** Returns why a request is refused; empty if it is not. */
    Optional<HttpProblem> refusal(HttpServerRequest request) {
        if (!guarded) {
            return Optional.empty();
        }
        HostAndPort authority = request.authority();
        if (authority == null && request.version() != HttpVersion.HTTP_1_0) {
            return Optional.of(HttpProblem.of(ErrorCode.BAD_REQUEST, "Host is no name or address"));
        }
        // Over HTTP/1.0 there may be none. No browser uses it.
        if (authority != null && !isOwn(normal(authority.host()))) {
            String host = HttpText.shown(authority.host());
            return Optional.of(HttpProblem.of(
                    421,
                    ErrorCode.BAD_REQUEST,
                    "\"" + host + "\" is not known to be a name of this node: start the node with --public-host " + host
                            + " (withPublicHost(\"" + host
                            + "\")), or reach it by an address, or give its clients tokens"));
        }
        List<String> origins = request.headers().getAll(HttpHeaders.ORIGIN);
        if (!origins.isEmpty() && (origins.size() > 1 || !isSame(origins.get(0), authority))) {
            return Optional.of(HttpProblem.of(
                    ErrorCode.PERMISSION_DENIED,
                    "Origin \"" + HttpText.shown(origins.get(0)) + "\" is foreign: without tokens pages of other sites"
                            + " may not use this node"));
        }
        return Optional.empty();
    }

    /**
     * Returns whether a host is this node's. Every address is: nobody can make an address lead elsewhere, whether it is
     * the node's or a proxy's.
     */
    private boolean isOwn(String host) {
        return host.equals(LOCALHOST)
                || hosts.contains(host)
                || ownNames.getNow(Set.of()).contains(host)
                || IpLiterals.normal(host).isPresent();
    }

    /** Returns whether an origin is the node itself; the scheme may be that of a proxy. */
    private static boolean isSame(String origin, @Nullable HostAndPort authority) {
        int end = origin.indexOf(SCHEME_END);
        if (end < 0 || authority == null) {
            return false;
        }
        HostAndPort from = HostAndPort.parseAuthority(origin.substring(end + SCHEME_END.length()), -1);
        int usual = origin.substring(0, end).toLowerCase(Locale.ROOT).equals("https") ? 443 : 80;
        return from != null
                && normal(from.host()).equals(normal(authority.host()))
                && portOf(from, usual) == portOf(authority, usual);
    }

    private static int portOf(HostAndPort address, int usual) {
        return address.port() < 0 ? usual : address.port();
    }

    /**
     * Normalises a host: lower case, without the brackets of IPv6, its zone, and the dot at the end of a full name;
     * addresses in the one form that Java gives them.
     */
    private static String normal(String host) {
        String plain = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        int zone = plain.indexOf('%');
        plain = zone < 0 ? plain : plain.substring(0, zone);
        plain = plain.endsWith(".") ? plain.substring(0, plain.length() - 1) : plain;
        return IpLiterals.normal(plain).orElse(plain.toLowerCase(Locale.ROOT));
    }
}
